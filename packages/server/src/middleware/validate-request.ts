import type { RequestHandler } from 'express';
import { invalidRequest } from '../contract/api-error.ts';
import { validatorFor } from '../contract/request-validator.ts';
import { inexactIntegers, translateValidatorError, unknownOrEmptyParams } from '../contract/validation-problems.ts';

/** Checks parameters, headers and body against the contract, and puts the typed values on the context. */
export const validateRequest: RequestHandler = (request, response, next) => {
  const { route } = request.context;
  if (route.kind !== 'operation') return next();
  // HEAD is GET without a response body, which Node leaves out by itself; the contract lists GET only.
  if (request.method === 'HEAD') request.method = 'GET';
  const { validate, queryNames } = validatorFor(route.id);
  const inexact = inexactIntegers(route.id, request.query, route.parameters);
  validate(request, response, (error?: unknown) => {
    // A response reports every problem at once. By now the validator has renamed `limit[]` to `limit`.
    const problems = inexact.concat(unknownOrEmptyParams(request.query, queryNames));
    if (error !== undefined) return next(translateValidatorError(error, problems));
    if (problems.length > 0) return next(invalidRequest(problems));
    request.context.input = { query: request.query, path: request.params, body: request.body };
    next();
  });
};
