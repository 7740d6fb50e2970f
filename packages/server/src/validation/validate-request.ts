import type { OperationId } from '@animal-store/contract';
import type { Request, RequestHandler } from 'express';
import { middleware as openApiValidator } from 'express-openapi-validator';
import { invalidRequest } from '../errors.ts';
import { documentOf, queryNamesOf } from './operation-document.ts';
import { inexactIntegers, surplusAndEmpty } from './own-problems.ts';
import { toApiError } from './validator-errors.ts';

type OperationValidator = { handlers: RequestHandler[]; queryNames: ReadonlySet<string> };

const validators = new Map<OperationId, OperationValidator>();

/**
 * Checks a request against its operation in the contract: parameters, headers and body.
 * Afterwards the exchange holds what the contract promises, defaults filled in.
 */
export const validateRequest: RequestHandler = (request, response, next) => {
  const { route } = request.exchange;
  if (route.kind !== 'operation') return next();
  // HEAD is GET without a body, which Node leaves away by itself; the validator knows only what the contract lists.
  if (request.method === 'HEAD') request.method = 'GET';
  const { handlers, queryNames } = validatorOf(route.id);
  const inexact = inexactIntegers(route.id, request.query, route.parameters);
  runAll(handlers, 0, request, response, (error?: unknown) => {
    // Whatever the validator says: it has read `limit[]` as `limit` by now, and a reply names every problem at once.
    const own = [...inexact, ...surplusAndEmpty(request.query, queryNames)];
    if (error !== undefined) return next(toApiError(error, own));
    if (own.length > 0) return next(invalidRequest(own));
    request.exchange.validated = { query: request.query, path: request.params, body: request.body };
    next();
  });
};

/**
 * One validator per operation, made when it is first needed: express-openapi-validator walks all of its routes for
 * every request, so a validator that knows one route costs the same however many operations the contract has.
 */
function validatorOf(id: OperationId): OperationValidator {
  const made = validators.get(id);
  if (made !== undefined) return made;
  const document = documentOf(id);
  const handlers = openApiValidator({
    apiSpec: document,
    validateApiSpec: false,
    validateSecurity: false,
    validateResponses: false,
    // It stops at the first unknown parameter, so those are looked for beside it.
    validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
    fileUploader: false,
  });
  const validator = { handlers, queryNames: queryNamesOf(document) };
  validators.set(id, validator);
  return validator;
}

function runAll(
  handlers: RequestHandler[],
  index: number,
  request: Request,
  response: Parameters<RequestHandler>[1],
  done: (error?: unknown) => void,
): void {
  const handler = handlers[index];
  if (handler === undefined) {
    done();
    return;
  }
  handler(request, response, (error?: unknown) => {
    if (error === undefined) runAll(handlers, index + 1, request, response, done);
    else done(error);
  });
}
