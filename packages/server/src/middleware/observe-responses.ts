import type { Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { ObservedResponse, ResponseObserver } from '../http/context.ts';
import { redactSecrets } from '../keys/key-format.ts';

/** The most characters of a path in the log. Paths of operations are shorter; callers may send 16 KB. */
const MAX_PATH = 200;

/** Calls the observers once for each response, after it is sent or its connection closes. */
export function observeResponses(observers: readonly ResponseObserver[]): RequestHandler {
  return (request, response, next) => {
    // Validation changes HEAD to GET.
    const { method } = request;
    response.on('close', () => {
      const { key, errorCode, startedAt } = request.context;
      const observed: ObservedResponse = {
        ...identityOf(request),
        method,
        status: response.statusCode,
        code: errorCode,
        milliseconds: performance.now() - startedAt,
        keyId: key?.id,
        aborted: !response.writableFinished,
      };
      for (const observe of observers) observe(observed);
    });
    next();
  };
}

/** What identifies a request in the log. The query is left out, because it may contain what the log must not. */
export function identityOf(request: Request) {
  const path = redactSecrets(request.path).slice(0, MAX_PATH);
  return { requestId: request.context.requestId, method: request.method, path, operation: operationOf(request) };
}

function operationOf({ context: { route }, route: page }: Request): ObservedResponse['operation'] {
  if (route.kind === 'operation') return route.id;
  // Express sets `request.route` for its own routes, and only the pages are routes of Express.
  return route.kind === 'unknown' && page !== undefined ? 'page' : route.kind;
}

/** Logs one line per response: request id, method, path, operation, status, duration and key id, never the key. */
export function accessLog(log: Logger): ResponseObserver {
  return ({ milliseconds, aborted, ...response }) => {
    // Putting a line together takes longer than the rest of this.
    if (!log.isLevelEnabled('info')) return;
    const ms = Math.round(milliseconds * 10) / 10;
    log.info({ ...response, ms, ...(aborted ? { aborted } : {}) }, 'request');
  };
}
