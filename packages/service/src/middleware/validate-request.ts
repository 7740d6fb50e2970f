import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import type { OperationFacts } from '../common/facts.ts';
import { invalidRequest } from '../openapi/api-error.ts';
import { preconditionRequired } from '../openapi/etag.ts';
import {
  hasBrackets,
  inexactParams,
  translateValidatorError,
  unknownOrEmptyParams,
} from '../openapi/validation-problems.ts';

/** Checks parameters, headers and body against the contract, and puts the typed values on the context. */
export const validateRequest: RequestHandler = (request, response, next) => {
  const { context } = request;
  const { route } = context;
  const { document } = context.contract;
  if (route.kind !== 'operation') return next();
  // A HEAD may be a GET without a response body, which Node leaves out by itself.
  const { method } = request;
  request.method = route.operation.facts.method;
  const { validate, queryNames, requiresIfMatch } = route.operation.validator();
  // Express parses the query at each access.
  const { query } = request;
  if (hasBrackets(query, queryNames)) return next(invalidRequest(unknownOrEmptyParams(query, queryNames)));
  const sent = { query, path: route.parameters, headers: request.headers };
  const found = [...inexactParams(route.operation.numericParams, sent), ...(context.form?.problems ?? [])];
  validate(request, response, (error?: unknown) => {
    request.method = method;
    // A response reports every problem at once.
    const problems = found.concat(unknownOrEmptyParams(request.query, queryNames));
    if (error !== undefined) return next(translateValidatorError(error, problems, document));
    if (problems.length > 0) return next(invalidRequest(problems));
    if (requiresIfMatch && request.headers['if-match'] === undefined) return next(preconditionRequired());
    if (context.form !== undefined) Object.assign(request.body, context.form.files);
    const header = headersFor(route.operation.facts, request.headers);
    context.input = { query: request.query, path: request.params, header, body: request.body };
    next();
  });
};

const noHeaders = {};

function headersFor({ headers }: OperationFacts, sent: IncomingHttpHeaders): object {
  if (headers.length === 0) return noHeaders;
  return Object.fromEntries(headers.map((name) => [name, sent[name.toLowerCase()]]));
}
