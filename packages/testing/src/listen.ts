import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:net';

/** A server that listens on a free port of loopback. */
export type Listening = AsyncDisposable & {
  port: number;
  /** Such as http://127.0.0.1:3000. */
  origin: string;
  /** Closes all connections, including those in use. */
  stop: () => Promise<void>;
};

/** Makes a server listen on loopback. */
export async function listenOnLoopback(server: Server): Promise<Listening> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The operating system assigned no port.');
  const stop = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { port: address.port, origin: `http://127.0.0.1:${address.port}`, stop, [Symbol.asyncDispose]: stop };
}

/** A free port on loopback, for programs that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The operating system assigned no port.');
  return address.port;
}
