import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A request as it arrived, with its whole body. */
export type Recorded = { method: string; url: string; headers: IncomingMessage['headers']; body: Buffer };

/** A server that records each request and lets `answer` respond. The recorded body is empty if `answer` reads it itself. */
export type RecordingServer = AsyncDisposable & { url: string; requests: Recorded[] };

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

export async function startRecordingServer(answer: Answer, { readsBody = true } = {}): Promise<RecordingServer> {
  const requests: Recorded[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = readsBody ? await buffer(request) : Buffer.alloc(0);
    requests.push({ method, url, headers, body });
    await answer(response, request);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1`;
  return {
    url,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
