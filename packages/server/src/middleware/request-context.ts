import type { Request, RequestHandler } from 'express';
import type { Clock } from '../common/time.ts';
import { findRoute } from '../contract/router.ts';
import { RequestContext, requestIdFrom } from '../http/context.ts';
import { isHost, isMalformed, pathOf } from '../http/message.ts';

/** Creates `request.context`: the request id, the route and the time. */
export function requestContext(clock: Clock, publicUrl: string | undefined): RequestHandler {
  return (request, _response, next) => {
    request.context = new RequestContext({
      requestId: requestIdFrom(request.headers['x-request-id']),
      route: isMalformed(request) ? { kind: 'malformed' } : findRoute(request.method, pathOf(request.url)),
      receivedAt: clock(),
      originOf: () => publicUrl ?? originOf(request),
    });
    next();
  };
}

/** Scheme and host as the caller sent them. Empty if the Host header is not a host: links are then relative to the server. */
function originOf(request: Request): string {
  const { headers } = request;
  // Express's getters look up three settings, which matter only behind a proxy.
  const isForwarded = headers['x-forwarded-host'] !== undefined || headers['x-forwarded-proto'] !== undefined;
  const host = (isForwarded ? request.host : headers.host) ?? '';
  // X-Forwarded-Proto may hold any text, and a link must not.
  const scheme = isForwarded && request.protocol === 'https' ? 'https' : 'http';
  return isHost(host) ? `${scheme}://${host}` : '';
}
