import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { HttpRequest } from '../requests/request.ts';

export type HttpResponse = {
  status: number;
  headers: Headers;
  /** The body as UTF-8. */
  text: string;
};

/** The caller of a request: an API key, an IP address without a key, or a key at an address. */
export type Sender = { key?: string; address?: string };

/**
 * An HTTP client that reuses its connections. Uses node:http, because `fetch` refuses some of the methods and headers to
 * test.
 */
export function createClient(url: string) {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(url);

  function send(request: HttpRequest, sender: Sender): Promise<HttpResponse> {
    const { method, target, headers, body, padding, isChunked = false } = request;
    return new Promise((resolve, reject) => {
      const outgoing = httpRequest({ agent, hostname, port, method, path: target });
      // Replaces Node's own value if there is one, instead of appending.
      for (const [name, value] of headers)
        outgoing.hasHeader(name) ? outgoing.setHeader(name, value) : outgoing.appendHeader(name, value);
      if (sender.key !== undefined) outgoing.setHeader('Authorization', `Bearer ${sender.key}`);
      // Callers without a key have a quota per address, which is not tested here.
      if (sender.address !== undefined) outgoing.setHeader('X-Forwarded-For', sender.address);
      let hasAnswered = false;
      outgoing.on('error', (cause) => {
        if (!hasAnswered) reject(new Error(`${method} ${target} got no response: ${cause.message}.`, { cause }));
      });
      outgoing.on('response', (incoming) => {
        hasAnswered = true;
        const { statusCode: status = 0 } = incoming;
        text(incoming).then((body) => resolve({ status, headers: headersOf(incoming), text: body }), reject);
      });
      const bytes = withPadding(body, padding);
      if (isChunked) outgoing.flushHeaders();
      // Node sends no Content-Length for methods that usually have no body, such as HEAD.
      else if (bytes !== undefined) outgoing.setHeader('Content-Length', Buffer.byteLength(bytes));
      outgoing.end(bytes);
    });
  }

  return { send, close: () => agent.destroy() };
}

function withPadding(body: HttpRequest['body'], padding: HttpRequest['padding']): string | Uint8Array | undefined {
  return padding === undefined ? body : Buffer.concat([Buffer.from(body ?? ''), Buffer.alloc(padding, ' ')]);
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  return headers;
}
