import { responseHeaders } from '@animal-store/contract';
import type { Request, Response } from 'express';
import { lifecycleHeaders } from '../contract/deprecation.ts';
import type { OutgoingResponse, ResponseCheck } from '../contract/response-check.ts';
import type { Verdict } from '../quota/count-request.ts';
import type { RequestContext } from './context.ts';

/** Alternating header names and values, as `writeHead` accepts them. A name may occur twice. */
export type HeaderList = string[];

/** Sends the responses of the API: successes and errors. */
export type Responder = {
  /** @throws ContractViolationError if the contract does not document the response */
  check: (context: RequestContext, outgoing: OutgoingResponse) => void;
  /** Checks, then sends. If the check throws, nothing has been sent. */
  send: (request: Request, response: Response, outgoing: OutgoingResponse) => void;
  /** For the 500 that replaces an undocumented error response. */
  sendUnchecked: (request: Request, response: Response, outgoing: OutgoingResponse) => void;
};

/** @param responseCheck set in development, in tests and with VALIDATE_RESPONSES */
export function createResponder(responseCheck: ResponseCheck | undefined): Responder {
  function check(context: RequestContext, outgoing: OutgoingResponse): void {
    responseCheck?.(context.route, outgoing, toObject(headersOf(context, outgoing)));
  }

  function sendUnchecked(request: Request, response: Response, outgoing: OutgoingResponse): void {
    const headers = headersOf(request.context, outgoing);
    // A single call with an array takes half as long as setting the headers one by one.
    response.writeHead(outgoing.status, headers);
    response.end(outgoing.json);
  }

  function send(request: Request, response: Response, outgoing: OutgoingResponse): void {
    check(request.context, outgoing);
    sendUnchecked(request, response, outgoing);
  }

  return { check, send, sendUnchecked };
}

/** The headers that web pages may read (CORS). */
export const exposedHeaders = [...responseHeaders, 'Allow'];

/** The headers of every response: no type sniffing, no caching, readable by any web page. */
export const plainHeaders: HeaderList = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposedHeaders.join(','),
}).flat();

/** The headers that depend on the request only, not on its response. */
export function commonHeaders(context: RequestContext): HeaderList {
  const { requestId, verdict, route } = context;
  return [
    'X-Request-Id',
    requestId,
    ...plainHeaders,
    ...(verdict === undefined ? [] : limitHeaders(verdict)),
    ...(route.kind === 'operation' ? lifecycleHeaders(route.id, context) : []),
  ];
}

/** The state of the caller's quota. */
export function limitHeaders({ limit, remaining, reset }: Verdict): HeaderList {
  return [
    'X-RateLimit-Limit',
    String(limit),
    'X-RateLimit-Remaining',
    String(remaining),
    'X-RateLimit-Reset',
    String(reset),
  ];
}

/** The headers of a JSON body. */
export function jsonHeaders(json: string): HeaderList {
  return ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(json))];
}

/** Sends a 204, with further headers if there are any. */
export function sendNoContent(request: Request, response: Response, headers: HeaderList = []): void {
  response.writeHead(204, [...commonHeaders(request.context), ...headers]).end();
}

function headersOf(context: RequestContext, { headers, json }: OutgoingResponse): HeaderList {
  const list = commonHeaders(context);
  for (const name in headers) list.push(name, headers[name] ?? '');
  if (json !== undefined) list.push(...jsonHeaders(json));
  return list;
}

/** Headers by lower-case name. Repeated headers are joined, which means the same (RFC 9110 5.3). */
function toObject(headers: HeaderList): Record<string, string> {
  const values: Record<string, string> = {};
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]?.toLowerCase() ?? '';
    const value = headers[index + 1] ?? '';
    values[name] = name in values ? `${values[name]}, ${value}` : value;
  }
  return values;
}
