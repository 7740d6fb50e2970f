import type { Request, RequestHandler } from 'express';
import type { Clock } from '../common/time.ts';
import { RequestContext, requestIdFrom, traceFrom } from '../http/context.ts';
import { isHost, isKnownMalformed, pathOf } from '../http/message.ts';
import type { CompiledContract } from '../openapi/compiled-contract.ts';

/** Creates `request.context`: the request ID, the route and the time. */
export function requestContext(
  contract: CompiledContract,
  clock: Clock,
  publicUrl: string | undefined,
): RequestHandler {
  return (request, _response, next) => {
    const { headers } = request;
    request.context = new RequestContext({
      requestId: requestIdFrom(headers['x-request-id']),
      contract,
      trace: traceFrom(headers['traceparent']),
      route: isKnownMalformed(request)
        ? { kind: 'malformed' }
        : contract.findRoute(request.method, pathOf(request.url)),
      receivedAt: clock(),
      originOf: () => publicUrl ?? sentOrigin(request),
    });
    next();
  };
}

/** Scheme and host as the client sent them. Empty if the Host header is not valid: links are then relative to the server. */
function sentOrigin(request: Request): string {
  const { headers } = request;
  // Express's getters read three settings that matter only behind a proxy, so they are skipped otherwise.
  const isForwarded = headers['x-forwarded-host'] !== undefined || headers['x-forwarded-proto'] !== undefined;
  const host = (isForwarded ? request.host : headers.host) ?? '';
  // X-Forwarded-Proto may contain any text, which must not end up in a link.
  const scheme = isForwarded && request.protocol === 'https' ? 'https' : 'http';
  return isHost(host) ? `${scheme}://${host}` : '';
}
