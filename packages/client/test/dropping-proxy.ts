import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { listenOnLoopback } from '../../testing/src/listen.ts';

export type DroppingProxy = {
  url: string;
  /** The number of requests that it has forwarded, and of responses that it has dropped. */
  counts: { forwarded: number; dropped: number };
  stop: () => Promise<void>;
};

/**
 * A proxy on loopback that forwards every request, but closes some connections instead of returning the response: the
 * server has processed the request, and the client does not know.
 *
 * @param share the share of responses to drop, from 0 to 1
 */
export async function startDroppingProxy(target: string, share: number, random: () => number): Promise<DroppingProxy> {
  const agent = new Agent({ keepAlive: true });
  const counts = { forwarded: 0, dropped: 0 };

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request;
    const onward = send(new URL(url, target), { method, headers, agent });
    request.pipe(onward);
    const [reply]: IncomingMessage[] = await once(onward, 'response');
    if (reply === undefined) return;
    const body = Buffer.concat(await reply.toArray());
    counts.forwarded += 1;
    if (random() < share) {
      counts.dropped += 1;
      request.socket.destroy();
      return;
    }
    response.writeHead(reply.statusCode ?? 502, reply.headers).end(body);
  }

  const server = createServer((request, response) => {
    forward(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  const { origin, stop } = await listenOnLoopback(server);
  return {
    url: origin,
    counts,
    stop: async () => {
      agent.destroy();
      await stop();
    },
  };
}
