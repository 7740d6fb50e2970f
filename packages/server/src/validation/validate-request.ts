import { type OperationId, operations } from '@animal-store/contract';
import type { Request, RequestHandler } from 'express';
import { middleware as openApiValidator } from 'express-openapi-validator';
import { invalidRequest } from '../errors.ts';
import { isExactInteger } from '../request/integers.ts';
import { documentOf } from './operation-document.ts';
import { toApiError } from './validator-errors.ts';

const validators = new Map<OperationId, RequestHandler[]>();

/**
 * Checks a request against its operation in the contract: parameters, headers and body.
 * Afterwards the exchange holds what the contract promises, defaults filled in.
 */
export const validateRequest: RequestHandler = (request, response, next) => {
  const { route } = request.exchange;
  if (route.kind !== 'operation') return next();
  // HEAD is GET without a body, which Node leaves away by itself; the validator knows only what the contract lists.
  if (request.method === 'HEAD') request.method = 'GET';
  refuseInexactIntegers(route.id, request, route.parameters);
  runAll(validatorOf(route.id), 0, request, response, (error?: unknown) => {
    if (error !== undefined) return next(toApiError(error));
    request.exchange.validated = { query: request.query, path: request.params, body: request.body };
    next();
  });
};

/**
 * One validator per operation, made when it is first needed: express-openapi-validator walks all of its routes for
 * every request, so a validator that knows one route costs the same however many operations the contract has.
 */
function validatorOf(id: OperationId): RequestHandler[] {
  const made = validators.get(id);
  if (made !== undefined) return made;
  const validator = openApiValidator({
    apiSpec: documentOf(id),
    validateApiSpec: false,
    validateSecurity: false,
    validateResponses: false,
    validateRequests: { allErrors: true },
    fileUploader: false,
  });
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

/** The validator reads `0x10`, `1e2` and ` 5` as integers, and rounds large ones; the contract means plain digits. */
function refuseInexactIntegers(id: OperationId, request: Request, parameters: Record<string, string>): void {
  const { integers } = operations[id];
  const given = [
    ...integers.query.map((name) => ({ where: `query/${name}`, value: request.query[name] })),
    ...integers.path.map((name) => ({ where: `path/${name}`, value: parameters[name] })),
  ];
  const problems = given.filter(({ value }) => typeof value === 'string' && !isExactInteger(value));
  if (problems.length === 0) return;
  throw invalidRequest(
    problems.map(({ where }) => ({ where, what: 'must be an integer in plain digits, between -(2^53-1) and 2^53-1' })),
  );
}
