import { basePath, type OperationId, operations } from '@animal-store/contract';
import type { RequestHandler } from 'express';
import type { Clock } from '../clock.ts';
import { ApiError } from '../errors.ts';
import { operationIds } from '../request/routing.ts';

/** The dates of a deprecated operation, as the contract states them. */
type Deprecation = { since: string; sunset: string; successor: OperationId; documentation: string };

export function deprecationOf(id: OperationId): Deprecation | null {
  return operations[id].deprecation;
}

/**
 * `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` of each reply of a deprecated operation, names and values in
 * turn; nothing for any other operation.
 *
 * @param exchange where the links start
 */
export function deprecationHeaders(id: OperationId, exchange: { origin: string }): string[] {
  const announcement = announced.get(id);
  if (announcement === undefined) return [];
  const { origin } = exchange;
  const links = announcement.links.flatMap(({ address, relation }) => ['Link', `<${origin}${address}>; ${relation}`]);
  return [...announcement.dates, ...links];
}

type Announcement = { dates: string[]; links: { address: string; relation: string }[] };

/** Said of each reply, so put together once. */
const announced = new Map(announcements());

function* announcements(): Generator<[OperationId, Announcement]> {
  for (const id of operationIds()) {
    const deprecation = deprecationOf(id);
    if (deprecation !== null) yield [id, announcementOf(deprecation)];
  }
}

function announcementOf({ since, sunset, successor, documentation }: Deprecation): Announcement {
  return {
    dates: ['Deprecation', `@${Date.parse(since) / 1_000}`, 'Sunset', new Date(sunset).toUTCString()],
    links: [
      { address: documentation, relation: 'rel="deprecation"; type="text/html"' },
      { address: `${basePath}${operations[successor].path}`, relation: 'rel="successor-version"' },
    ],
  };
}

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
