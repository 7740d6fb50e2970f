import type { ErrorCode, OperationId } from '@animal-store/contract';
import type { Request, RequestHandler } from 'express';
import type { Route } from '../contract/router.ts';

/** What there is to say about a reply when it is over. Nothing in it is secret. */
export type ObservedResponse = {
  requestId: string;
  /** Absent when the request was too broken to have one. */
  method?: string;
  /** `unreadable`: refused before the app saw it. */
  operation: OperationId | Exclude<Route['kind'], 'operation'> | 'page' | 'unreadable';
  status: number;
  /** The code of an error reply. */
  code: ErrorCode | undefined;
  /** Milliseconds from the request's headers to the end of the reply. */
  milliseconds: number;
  keyId: string | undefined;
  /** The connection ended before the reply did. */
  aborted: boolean;
};

export type ResponseObserver = (reply: ObservedResponse) => void;

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
