import type { Request, RequestHandler } from 'express';
import type { Clock } from '../common/clock.ts';
import { findRoute } from '../contract/router.ts';
import { RequestContext } from '../http/context.ts';
import { isHost, isMalformed, pathOf, requestId } from '../http/message.ts';
import { AskedBefore } from './asked-before.ts';

/** Starts the context: names the request and finds its route. */
export function requestContext(clock: Clock, publicUrl: string | undefined): RequestHandler {
  const askedBefore = new AskedBefore();
  return (request, _response, next) => {
    request.context = new RequestContext({
      id: requestId(request.headers['x-request-id']),
      route: isMalformed(request) ? { kind: 'malformed' } : findRoute(request.method, pathOf(request.url)),
      arrivedAt: clock(),
      isRepeated: askedBefore.note(request.url),
      originOf: () => publicUrl ?? originOf(request),
    });
    next();
  };
}

/** The address as the caller reached it; empty, so that links are relative to it, when the Host header is none. */
function originOf(request: Request): string {
  const { headers } = request;
  // Express looks three settings up for what only a proxy's word can change.
  const isForwarded = headers['x-forwarded-host'] !== undefined || headers['x-forwarded-proto'] !== undefined;
  const host = (isForwarded ? request.host : headers.host) ?? '';
  // X-Forwarded-Proto may say anything, and a link must not.
  const scheme = isForwarded && request.protocol === 'https' ? 'https' : 'http';
  return isHost(host) ? `${scheme}://${host}` : '';
}
