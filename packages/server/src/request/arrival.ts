import type { Request, RequestHandler } from 'express';
import type { Clock } from '../clock.ts';
import { plainHeaders } from '../http/plain-headers.ts';
import { requestId } from './request-id.ts';
import { findRoute } from './routing.ts';

/** Starts the exchange: names the request, finds its route, and sets what every reply carries. */
export function arrive(clock: Clock, publicUrl: string | undefined): RequestHandler {
  return (request, response, next) => {
    toOriginForm(request);
    const id = requestId(request.headers['x-request-id']);
    const [path = ''] = request.url.split('?', 1);
    request.exchange = {
      id,
      route: isAmbiguous(request) ? { kind: 'malformed' } : findRoute(request.method, path),
      origin: publicUrl ?? originOf(request),
      arrivedAt: clock(),
    };
    response.setHeader('X-Request-Id', id);
    for (const [name, value] of Object.entries(plainHeaders)) response.setHeader(name, value);
    next();
  };
}

/** RFC 9112 3.2: a request of HTTP/1.1 without Host is answered 400. */
function isAmbiguous(request: Request): boolean {
  return request.headers.host === undefined && request.httpVersion === '1.1';
}

/** RFC 9112 3.2.2: a server accepts `GET http://host/path`, too. */
function toOriginForm(request: Request): void {
  if (!/^https?:\/\//i.test(request.url)) return;
  request.url = request.url.replace(/^https?:\/\/[^/?]*/i, '') || '/';
  request.originalUrl = request.url;
}

const hostAndPort = /^[A-Za-z0-9.-]+(:[0-9]{1,5})?$|^\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?$/;

/** The address as the caller reached it; empty, so that links are relative to it, when the Host header is none. */
function originOf(request: Request): string {
  const host = request.host ?? '';
  return hostAndPort.test(host) ? `${request.protocol}://${host}` : '';
}
