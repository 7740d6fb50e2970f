import { basePath, type OperationId, operations } from '@animal-store/contract';
import type { RequestHandler } from 'express';
import type { Clock } from '../clock.ts';
import { ApiError } from '../errors.ts';

/** The dates of a deprecated operation, as the contract states them. */
type Deprecation = { since: string; sunset: string; successor: OperationId; documentation: string };

export function deprecationOf(id: OperationId): Deprecation | null {
  return operations[id].deprecation;
}

/**
 * Sets `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` on each reply of a deprecated operation.
 */
export const announceDeprecation: RequestHandler = (request, response, next) => {
  const { route, origin } = request.exchange;
  const deprecation = route.kind === 'operation' ? deprecationOf(route.id) : null;
  if (deprecation === null) return next();
  const successor = `${origin}${basePath}${operations[deprecation.successor].path}`;
  response.setHeader('Deprecation', `@${Date.parse(deprecation.since) / 1_000}`);
  response.setHeader('Sunset', new Date(deprecation.sunset).toUTCString());
  response.appendHeader('Link', `<${origin}${deprecation.documentation}>; rel="deprecation"; type="text/html"`);
  response.appendHeader('Link', `<${successor}>; rel="successor-version"`);
  next();
};

/** Refuses an operation that is past its sunset with 410. */
export function refuseRemoved(clock: Clock): RequestHandler {
  return (request, _response, next) => {
    const { route } = request.exchange;
    const deprecation = route.kind === 'operation' ? deprecationOf(route.id) : null;
    if (route.kind !== 'operation' || deprecation === null || clock() < Date.parse(deprecation.sunset)) return next();
    const { sunset, successor } = deprecation;
    throw new ApiError(
      'operation_removed',
      `${route.id} was removed on ${sunset.slice(0, 10)}. Use ${successor} instead: ${operations[successor].method} ${operations[successor].path}.`,
    );
  };
}
