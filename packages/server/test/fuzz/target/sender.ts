import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import type { HttpRequest } from '../requests/request.ts';

export type HttpResponse = { status: number; headers: Headers; text: string };

/** Who sends a request: the holder of a key, somebody without one at an address of their own, or who its headers say. */
export type Sender = { key: string } | { address: string } | 'as it is';

/** An HTTP client that keeps its connections. Node's own, since `fetch` refuses methods and headers that are to be tried. */
export function createClient(url: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(url);

  function send({ method, target, headers, body }: HttpRequest, sender: Sender): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const outgoing = httpRequest({ agent, hostname, port, method, path: target });
      // Set, not appended, where Node has a value of its own.
      for (const [name, value] of headers)
        outgoing.hasHeader(name) ? outgoing.setHeader(name, value) : outgoing.appendHeader(name, value);
      if (sender === 'as it is') outgoing.removeHeader('Connection');
      else if ('key' in sender) outgoing.setHeader('Authorization', `Bearer ${sender.key}`);
      // Quotas of callers without a key are by address, and not what is tried here.
      else outgoing.setHeader('X-Forwarded-For', sender.address);
      outgoing.on('error', (cause) => reject(new Error(`${method} ${target} got no response.`, { cause })));
      outgoing.on('response', (incoming) => readResponse(incoming).then(resolve, reject));
      outgoing.end(body);
    });
  }

  return { send, close: () => agent.destroy() };
}

async function readResponse(incoming: IncomingMessage): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const headers = new Headers();
  const { rawHeaders } = incoming;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  return { status: incoming.statusCode ?? 0, headers, text: Buffer.concat(chunks).toString() };
}
