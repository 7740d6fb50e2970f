import { type OperationId, operations } from '@animal-store/contract';
import type { RequestHandler } from 'express';
import { middleware as openApiValidator } from 'express-openapi-validator';
import type { OpenApiRequest } from 'express-openapi-validator/dist/framework/types.js';
import { inTurn } from '../middleware/in-turn.ts';
import { documentOf, parametersOf } from './operation-document.ts';

export type OperationValidator = {
  /** Gives `next` an error of express-openapi-validator's, or has put on the request what the contract makes of it. */
  check: RequestHandler;
  queryNames: ReadonlySet<string>;
  /** Whether what is sent beside the address makes no difference. */
  isOfAddressAlone: boolean;
};

const validators = new Map<OperationId, OperationValidator>();

/**
 * One validator per operation, made when it is first needed: express-openapi-validator walks all of its routes for
 * every request, so a validator that knows one route costs the same however many operations the contract has.
 */
export function validatorOf(id: OperationId): OperationValidator {
  const known = validators.get(id);
  if (known !== undefined) return known;
  const validator = createValidator(id);
  validators.set(id, validator);
  return validator;
}

function createValidator(id: OperationId): OperationValidator {
  const document = documentOf(id);
  const parameters = parametersOf(document);
  const handlers = openApiValidator({
    apiSpec: document,
    validateApiSpec: false,
    validateSecurity: false,
    validateResponses: false,
    // It stops at the first unknown parameter, so those are looked for beside it.
    validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
    fileUploader: false,
  });
  return {
    check: lookUpOnce(handlers),
    queryNames: new Set(parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)),
    isOfAddressAlone: operations[id].method === 'GET' && parameters.every(({ in: place }) => isInAddress(place)),
  };
}

/**
 * All handlers for the first request; for the others only the last, which validates. Those before look for the route, and
 * find the same each time: there is but one, and we have found it already.
 */
function lookUpOnce(handlers: RequestHandler[]): RequestHandler {
  const all = inTurn(...handlers);
  const last = inTurn(...handlers.slice(-1));
  let found: OpenApiRequest['openapi'];

  return (request: OpenApiRequest, response, next) => {
    if (found === undefined) {
      return all(request, response, (error?: unknown) => {
        found = request.openapi;
        next(error);
      });
    }
    const { route } = request.context;
    const pathParams = route.kind === 'operation' ? route.parameters : {};
    request.openapi = { ...found, pathParams };
    return last(request, response, next);
  };
}

function isInAddress(place: string): boolean {
  return place === 'query' || place === 'path';
}
