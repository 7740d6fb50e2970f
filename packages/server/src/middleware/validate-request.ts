import type { IncomingHttpHeaders } from 'node:http';
import { type OperationId, operationFacts } from '@animal-store/contract';
import type { RequestHandler } from 'express';
import { invalidRequest } from '../contract/api-error.ts';
import { preconditionRequired } from '../contract/etag.ts';
import { validatorFor } from '../contract/request-validator.ts';
import { inexactParams, translateValidatorError, unknownOrEmptyParams } from '../contract/validation-problems.ts';

/** Checks parameters, headers and body against the contract, and puts the typed values on the context. */
export const validateRequest: RequestHandler = (request, response, next) => {
  const { context } = request;
  const { route } = context;
  if (route.kind !== 'operation') return next();
  // HEAD is GET without a response body, which Node leaves out by itself; the contract lists GET only.
  const { method } = request;
  if (method === 'HEAD') request.method = 'GET';
  const { validate, queryNames, requiresIfMatch } = validatorFor(route.id);
  const found = inexactParams(route.id, request.query, route.parameters, request.headers, queryNames);
  validate(request, response, (error?: unknown) => {
    request.method = method;
    // A response reports every problem at once. By now the validator has renamed `limit[]` to `limit`.
    const problems = found.concat(unknownOrEmptyParams(request.query, queryNames));
    if (error !== undefined) return next(translateValidatorError(error, problems));
    if (problems.length > 0) return next(invalidRequest(problems));
    if (requiresIfMatch && request.headers['if-match'] === undefined) return next(preconditionRequired());
    const { accept, contentType } = context;
    const header = headersFor(route.id, request.headers);
    context.input = { query: request.query, path: request.params, header, body: request.body, contentType, accept };
    next();
  });
};

const noHeaders = {};

/** The headers that the operation reads, by the contract's names. */
function headersFor(id: OperationId, sent: IncomingHttpHeaders): object {
  const { headers } = operationFacts[id];
  if (headers.length === 0) return noHeaders;
  return Object.fromEntries(headers.map((name) => [name, sent[name.toLowerCase()]]));
}
