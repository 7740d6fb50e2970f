import type { OutgoingHttpHeaders } from 'node:http';
import { limits } from '@animal-store/contract';
import type { Request, Response } from 'express';
import type { Route } from '../request/routing.ts';

/** A reply on its way out: the body as JSON text; undefined where the contract has none, as for a 204. */
export type OutgoingReply = { status: number; headers: Record<string, string>; json: string | undefined };

/** Throws when a reply is not what the contract documents. */
export type ReplyCheck = (route: Route, reply: OutgoingReply, headers: OutgoingHttpHeaders) => void;

/** The one way out of the API: every reply, error or not, is sent here. */
export type Exit = {
  /** @throws ContractViolationError when the reply is not what the contract says */
  check: (request: Request, response: Response, reply: OutgoingReply) => void;
  /** Checks the reply and sends it. Throws as `check` does; nothing was sent then. */
  send: (request: Request, response: Response, reply: OutgoingReply) => void;
};

/**
 * @param replyCheck holds replies against the contract (in development, in tests, and where VALIDATE_RESPONSES is set)
 * @param isDraining while true, connections are closed: a balancer that reuses one would send its next request to a
 *   server that is going away
 */
export function createExit(replyCheck: ReplyCheck | undefined, isDraining: () => boolean): Exit {
  function check(request: Request, response: Response, reply: OutgoingReply): void {
    replyCheck?.(request.exchange.route, reply, headersOf(response, reply));
  }

  function send(request: Request, response: Response, reply: OutgoingReply): void {
    check(request, response, reply);
    for (const [name, value] of Object.entries(ownHeaders(response, reply))) response.setHeader(name, value);
    if (isDraining() || isLast(request)) response.setHeader('Connection', 'close');
    response.statusCode = reply.status;
    response.end(reply.json);
  }

  return { check, send };
}

/** Whether the connection ends with this reply. */
function isLast(request: Request): boolean {
  if (request.exchange.isLast) return true;
  // Node reads the rest of a body and throws it away before the next request; a large one is not worth that.
  if (request.complete) return false;
  const length = request.headers['content-length'] ?? 0;
  return request.headers['transfer-encoding'] !== undefined || Number(length) > limits.bodyBytes;
}

/** All headers of a reply, by their names in lower case: those that were set on its way, and its own. */
function headersOf(response: Response, reply: OutgoingReply): OutgoingHttpHeaders {
  const own = Object.entries(ownHeaders(response, reply)).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...response.getHeaders(), ...Object.fromEntries(own) };
}

function ownHeaders(response: Response, { headers, json }: OutgoingReply): Record<string, string | number | string[]> {
  const body =
    json === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) };
  const { Link: link } = headers;
  // Links come from several places; all of them belong to the reply.
  const links = link === undefined ? {} : { Link: [link, ...linksOf(response)] };
  return { ...headers, ...links, ...body };
}

function linksOf(response: Response): string[] {
  const links = response.getHeader('Link');
  if (links === undefined) return [];
  return Array.isArray(links) ? links : [String(links)];
}
