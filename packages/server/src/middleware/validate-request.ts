import { type OperationId, operations } from '@animal-store/contract';
import type { Request, RequestHandler } from 'express';
import { invalidRequest } from '../contract/api-error.ts';
import { validatorOf } from '../contract/operation-validator.ts';
import { inexactIntegers, unknownOrEmptyParams } from '../contract/parameter-problems.ts';
import { toApiError } from '../contract/validator-errors.ts';
import type { RequestContext } from '../http/context.ts';

/** What was found valid lately, by its address: who asks the same again gets the same answer. */
const validAddresses = new Map<string, NonNullable<RequestContext['validated']>>();

/** Some 1 MB. */
const CAPACITY = 2_000;

/**
 * Checks a request against its operation in the contract: parameters, headers and body.
 * Afterwards the context holds what the contract promises, defaults filled in.
 */
export const validateRequest: RequestHandler = (request, response, next) => {
  const { route } = request.context;
  if (route.kind !== 'operation') return next();
  // HEAD is GET without a body, which Node leaves away by itself; the validator knows only what the contract lists.
  if (request.method === 'HEAD') request.method = 'GET';
  const { check, queryNames, isOfAddressAlone } = validatorOf(route.id);
  const address = isOfAddressAlone && request.context.isRepeated ? request.url : undefined;
  const validated = address === undefined ? undefined : validAddresses.get(address);
  if (validated !== undefined) {
    request.context.validated = validated;
    return next();
  }
  normalizeContentType(request, route.id);
  const inexact = inexactIntegers(route.id, request.query, route.parameters);
  check(request, response, (error?: unknown) => {
    // Whatever the validator says: it has read `limit[]` as `limit` by now, and a response names every problem at once.
    const own = inexact.concat(unknownOrEmptyParams(request.query, queryNames));
    if (error !== undefined) return next(toApiError(error, own));
    if (own.length > 0) return next(invalidRequest(own));
    request.context.validated = { query: request.query, path: request.params, body: request.body };
    if (address !== undefined) remember(address, request.context.validated);
    next();
  });
};

/**
 * The validator compiles an operation anew for each Content-Type that it has not met, and keeps 16 KB of each. Of a body
 * `readBody` has taken JSON only, and without one there is no type.
 */
function normalizeContentType({ headers }: Request, id: OperationId): void {
  const type = operations[id].hasBody ? 'application/json' : undefined;
  if (headers['content-type'] !== type) headers['content-type'] = type;
}

function remember(address: string, validated: NonNullable<RequestContext['validated']>): void {
  if (validAddresses.size >= CAPACITY) validAddresses.clear();
  // It is for many requests, so that none of them may change it.
  Object.freeze(validated.query);
  Object.freeze(validated.path);
  validAddresses.set(address, validated);
}
