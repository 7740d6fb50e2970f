import type { Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { ObservedResponse, ResponseObserver } from '../http/context.ts';

/** Calls the observers once for each response, after it is sent or its connection closes. */
export function observeResponses(observers: readonly ResponseObserver[]): RequestHandler {
  return (request, response, next) => {
    // Validation changes HEAD to GET.
    const { method } = request;
    response.on('close', () => {
      const { requestId, key, errorCode, startedAt } = request.context;
      const observed: ObservedResponse = {
        requestId,
        method,
        operation: operationOf(request),
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

function operationOf({ context: { route }, route: page }: Request): ObservedResponse['operation'] {
  if (route.kind === 'operation') return route.id;
  // Express sets `request.route` for its own routes, and only the pages are routes of Express.
  return route.kind === 'unknown' && page !== undefined ? 'page' : route.kind;
}

/** Logs one line per response: request id, operation, status, duration and key id, never the key. */
export function accessLog(log: Logger): ResponseObserver {
  return ({ milliseconds, aborted, ...response }) => {
    // Putting a line together takes longer than the rest of this.
    if (!log.isLevelEnabled('info')) return;
    const ms = Math.round(milliseconds * 10) / 10;
    log.info({ ...response, ms, ...(aborted ? { aborted } : {}) }, 'request');
  };
}
