import { createServer, type RequestListener } from 'node:http';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import type { Peer } from './peer.ts';
import { internalError, invalidJson, type Refusal } from './refusals.ts';
import { announce, keepAliveTimeout, listenOptions } from './serve.ts';

/** What the peers on Express have in common: who may go on, and how errors are answered. */
export function admitting(peer: Peer): RequestHandler {
  return (request, response, next) => {
    const { path, headers, socket } = request;
    const { headers: reply, refusal } = peer.admit({ path, headers, address: socket.remoteAddress ?? '' });
    response.set(reply);
    if (refusal === undefined) next();
    else refuse(response, refusal);
  };
}

export function refuse(response: Response, { status, headers, body }: Refusal): void {
  response.status(status).set(headers).json(body);
}

/** Express finds error handlers by their four parameters. */
export const answerErrors: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  if (error instanceof SyntaxError) return refuse(response, invalidJson(error.message));
  console.error(error);
  refuse(response, internalError());
};

export function listen(app: RequestListener, peer: Peer): void {
  const server = createServer({ keepAliveTimeout }, app);
  server.listen(listenOptions, () => announce(server, peer));
}
