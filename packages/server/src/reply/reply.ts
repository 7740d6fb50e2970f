import type { OutgoingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
import type { Route } from '../request/routing.ts';

/** A reply on its way out: the body as JSON text. */
export type OutgoingReply = { status: number; headers: Record<string, string>; json: string };

/** Throws when a reply is not what the contract documents. */
export type ReplyCheck = (route: Route, reply: OutgoingReply, headers: OutgoingHttpHeaders) => void;

/**
 * Sends a reply of the API.
 * @throws ContractViolationError when the reply is not what the contract says; nothing was sent then
 */
export type SendReply = (request: Request, response: Response, reply: OutgoingReply) => void;

/**
 * The one exit of the API: every reply, error or not, leaves here.
 *
 * @param check holds replies against the contract (in development, in tests, and where VALIDATE_RESPONSES is set)
 * @param isDraining while true, connections are closed: a balancer that reuses one would send its next request to a
 *   server that is going away
 */
export function createSender(check: ReplyCheck | undefined, isDraining: () => boolean): SendReply {
  return (request, response, reply) => {
    for (const [name, value] of Object.entries(reply.headers)) {
      // Links come from several places; all of them belong to the reply.
      response.setHeader(name, name === 'Link' ? [value, ...linksOf(response)] : value);
    }
    response.setHeader('Content-Type', 'application/json');
    response.setHeader('Content-Length', Buffer.byteLength(reply.json));
    if (isDraining()) response.setHeader('Connection', 'close');
    check?.(request.exchange.route, reply, response.getHeaders());
    response.statusCode = reply.status;
    response.end(reply.json);
  };
}

function linksOf(response: Response): string[] {
  const links = response.getHeader('Link');
  if (links === undefined) return [];
  return Array.isArray(links) ? links : [String(links)];
}
