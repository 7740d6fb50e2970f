import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../../../service/src/http/server.ts';
import { createClient, type HttpResponse } from './sender.ts';
import { CONNECTIONS, type Target } from './target.ts';

/** Changes to requests or responses between a caller and the server. */
export type Tampering = {
  request?: (headers: IncomingHttpHeaders, target: Target) => IncomingHttpHeaders;
  response?: (response: HttpResponse) => HttpResponse;
};

/** A target behind a proxy that changes requests or responses, so that it behaves like a server with that fault. */
export async function tamperedTarget(target: Target, { request, response }: Tampering): Promise<Target> {
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url = '/' } = incoming;
    const headers = request?.(incoming.headers, target) ?? incoming.headers;
    const body = await buffer(incoming);
    const sent = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    const inner = await target.send(
      { method, target: url, headers: sent, body: body.length === 0 ? undefined : body },
      'as it is',
    );
    const answered = response?.(inner) ?? inner;
    const kept = [...answered.headers].filter(([name]) => !ofConnection.has(name));
    outgoing.writeHead(answered.status, Object.fromEntries(kept)).end(answered.text);
  });
  const url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
  const client = createClient(url, CONNECTIONS);
  return {
    ...target,
    url,
    send: client.send,
    [Symbol.asyncDispose]: async () => {
      client.close();
      server.closeAllConnections();
      server.close();
      await target[Symbol.asyncDispose]();
    },
  };
}

const ofConnection = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding']);
