import { basePath, type OperationId, operations } from '@animal-store/contract';
import type { RequestHandler } from 'express';
import { ApiError } from './api-error.ts';
import { operationIds } from './router.ts';

/** The dates of a deprecated operation, as the contract states them. */
type Deprecation = { since: string; sunset: string; successor: OperationId; documentation: string };

/** What is said of it on each response, put together once. */
type Announcement = {
  headersAt: (origin: string) => string[];
  /** Unix milliseconds. */
  removedAt: number;
  /** What who calls it afterwards is told. */
  removal: string;
};

const announcements = new Map(announceAll());

/**
 * `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` of each response of a deprecated operation, names and values in
 * turn; nothing for any other operation.
 *
 * @param context where the links start
 */
export function deprecationHeaders(id: OperationId, context: { origin: string }): string[] {
  return announcements.get(id)?.headersAt(context.origin) ?? [];
}

/** Refuses an operation that is past its sunset with 410. */
export const refuseRemoved: RequestHandler = (request, _response, next) => {
  const { route, arrivedAt } = request.context;
  if (route.kind !== 'operation') return next();
  const announcement = announcements.get(route.id);
  if (announcement !== undefined && arrivedAt >= announcement.removedAt) {
    throw new ApiError('operation_removed', announcement.removal);
  }
  next();
};

function deprecationOf(id: OperationId): Deprecation | null {
  return operations[id].deprecation;
}

function* announceAll(): Generator<[OperationId, Announcement]> {
  for (const id of operationIds()) {
    const deprecation = deprecationOf(id);
    if (deprecation !== null) yield [id, announce(id, deprecation)];
  }
}

function announce(id: OperationId, { since, sunset, successor, documentation }: Deprecation): Announcement {
  const dates = ['Deprecation', `@${Date.parse(since) / 1_000}`, 'Sunset', new Date(sunset).toUTCString()];
  const { method, path } = operations[successor];
  const headersAt = (origin: string) => [
    ...dates,
    'Link',
    `<${origin}${documentation}>; rel="deprecation"; type="text/html"`,
    'Link',
    `<${origin}${basePath}${path}>; rel="successor-version"`,
  ];
  return {
    headersAt: rememberLast(headersAt),
    removedAt: Date.parse(sunset),
    removal: `${id} was removed on ${sunset.slice(0, 10)}. Use ${successor} instead: ${method} ${path}.`,
  };
}

/** A function that need not be asked twice in a row: nearly all callers reach a server by the same address. */
function rememberLast<Question, Answer>(ask: (question: Question) => Answer): (question: Question) => Answer {
  let last: { question: Question; answer: Answer } | undefined;
  return (question) => {
    if (last?.question !== question) last = { question, answer: ask(question) };
    return last.answer;
  };
}
