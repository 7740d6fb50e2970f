import type { IncomingMessage as Asked, ServerOptions } from 'node:http';
import { type ParsedUrlQuery, parse as parseQuery } from 'node:querystring';
import type { Express } from 'express';

// As in server.ts.
const { IncomingMessage, ServerResponse } = process.getBuiltinModule('node:http');

/**
 * Messages that are born with the prototypes of an Express application. Express would set them on each request, after
 * which the engine takes each message for one of a kind that it has not met before; setting what is set already is free.
 */
export function messagesOf(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class Request extends IncomingMessage {
    /** When its headers had arrived, in the milliseconds of `performance.now()`. */
    readonly beganAt = performance.now();
    #query: ParsedUrlQuery | undefined;

    /** The query as sent. Express would read it anew each time that it is asked, and only the first 1,000 parameters. */
    get query(): ParsedUrlQuery {
      this.#query ??= parseQuery(queryOf(this.url ?? ''), '&', '=', { maxKeys: 0 });
      return this.#query;
    }

    /** The validator writes down what it has made of it. */
    set query(query: ParsedUrlQuery) {
      this.#query = query;
    }
  }
  class Response<To extends Asked> extends ServerResponse<To> {}
  app.request = Object.setPrototypeOf(Request.prototype, app.request);
  app.response = Object.setPrototypeOf(Response.prototype, app.response);
  return { IncomingMessage: Request, ServerResponse: Response };
}

function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}
