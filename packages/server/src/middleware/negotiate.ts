import { operationFacts } from '@animal-store/contract';
import type { RequestHandler } from 'express';
import { ApiError } from '../contract/api-error.ts';
import { operationIds } from '../contract/router.ts';

/** The media types of each operation's successes, in the order of the contract. */
const successTypes = new Map(
  operationIds().map((id) => {
    const responses = Object.values(operationFacts[id].responses);
    return [id, [...new Set(responses.flatMap(({ mediaTypes }) => Object.keys(mediaTypes)))]];
  }),
);

/**
 * Chooses the media type of the response by the Accept header. Only an operation that documents 406 refuses a header that
 * names none of its media types; the others ignore it, as RFC 9110 12.5.1 allows.
 */
export const negotiate: RequestHandler = (request, _response, next) => {
  const { context } = request;
  const { route } = context;
  if (route.kind !== 'operation') return next();
  const types = successTypes.get(route.id) ?? [];
  context.accept = types[0];
  if (!operationFacts[route.id].negotiates) return next();
  const accepted = request.accepts(types);
  if (accepted === false) return next(notAcceptable(types));
  context.accept = types.find((type) => type === accepted);
  next();
};

function notAcceptable(types: readonly string[]): ApiError {
  return new ApiError(
    'not_acceptable',
    `The response can be ${types.join(' or ')}. Name one of them in Accept, or omit it.`,
  );
}
