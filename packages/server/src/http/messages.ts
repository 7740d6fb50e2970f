import type { IncomingMessage as Asked, ServerOptions } from 'node:http';
import type { Express } from 'express';
import { IncomingMessage, ServerResponse } from './node-http.ts';

/**
 * Messages that are born with the prototypes of an Express application. Express would set them on each request, after
 * which the engine takes each message for one of a kind that it has not met before; setting what is set already is free.
 */
export function messagesOf(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class Request extends IncomingMessage {}
  class Response<To extends Asked> extends ServerResponse<To> {}
  app.request = Object.setPrototypeOf(Request.prototype, app.request);
  app.response = Object.setPrototypeOf(Response.prototype, app.response);
  return { IncomingMessage: Request, ServerResponse: Response };
}
