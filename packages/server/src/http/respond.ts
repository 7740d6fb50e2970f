import type { OutgoingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
import type { Route } from '../contract/router.ts';
import { commonHeaders, type HeaderList } from './common-headers.ts';
import type { RequestContext } from './context.ts';

/** A reply on its way out: the body as JSON text; undefined where the contract has none, as for a 204. */
export type OutgoingResponse = { status: number; headers: Record<string, string>; json: string | undefined };

/** Throws when a reply is not what the contract documents. */
export type ResponseCheck = (route: Route, reply: OutgoingResponse, headers: OutgoingHttpHeaders) => void;

/** The one way out of the API: every reply, error or not, is sent here. */
export type Responder = {
  /** @throws ContractViolationError when the reply is not what the contract says */
  check: (context: RequestContext, reply: OutgoingResponse) => void;
  /** Checks the reply and sends it. Throws as `check` does; nothing was sent then. */
  send: (request: Request, response: Response, reply: OutgoingResponse) => void;
};

/**
 * @param responseCheck holds replies against the contract (in development, in tests, and where VALIDATE_RESPONSES is set)
 */
export function createResponder(responseCheck: ResponseCheck | undefined): Responder {
  function check(context: RequestContext, reply: OutgoingResponse): void {
    responseCheck?.(context.route, reply, byName(headersOf(context, reply, lengthOf(reply))));
  }

  function send(request: Request, response: Response, reply: OutgoingResponse): void {
    check(request.context, reply);
    const { status, json } = reply;
    const length = lengthOf(reply);
    const headers = headersOf(request.context, reply, length);
    // All at once: one by one, Node looks at each of them twice.
    response.writeHead(status, headers);
    if (json === undefined) response.end();
    // Most replies are plain ASCII, which Node need not encode.
    else response.end(json, length === json.length ? 'latin1' : 'utf8');
  }

  return { check, send };
}

/** All headers of a reply: its own, and what follows from the request. */
function headersOf(context: RequestContext, { headers, json }: OutgoingResponse, length: number): HeaderList {
  const list = commonHeaders(context);
  for (const name in headers) list.push(name, headers[name] ?? '');
  if (json !== undefined) list.push('Content-Type', 'application/json', 'Content-Length', String(length));
  return list;
}

/** Bytes of the body. */
function lengthOf({ json = '' }: OutgoingResponse): number {
  return Buffer.byteLength(json);
}

/** By names in lower case; values of the same name are joined, which says the same (RFC 9110 5.3). */
function byName(headers: HeaderList): Record<string, string> {
  const values: Record<string, string> = {};
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]?.toLowerCase() ?? '';
    const value = headers[index + 1] ?? '';
    values[name] = name in values ? `${values[name]}, ${value}` : value;
  }
  return values;
}
