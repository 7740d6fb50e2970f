import type { Request, RequestHandler } from 'express';
import type { ObservedResponse, ResponseObserver } from '../http/context.ts';

/** Tells the observers of each reply once it is over, sent or not. */
export function observeResponses(observers: readonly ResponseObserver[]): RequestHandler {
  return (request, response, next) => {
    // The stock parts change these on the way.
    const { method } = request;
    response.on('close', () => {
      const { id, key, refusal } = request.context;
      const seen: ObservedResponse = {
        requestId: id,
        method,
        operation: operationOf(request),
        status: response.statusCode,
        code: refusal,
        milliseconds: performance.now() - request.beganAt,
        keyId: key?.id,
        aborted: !response.writableFinished,
      };
      for (const observe of observers) observe(seen);
    });
    next();
  };
}

function operationOf({ context: { route }, route: page }: Request): ObservedResponse['operation'] {
  if (route.kind === 'operation') return route.id;
  // Express notes the route that it took, and only the pages are routes of Express.
  return route.kind === 'unknown' && page !== undefined ? 'page' : route.kind;
}
