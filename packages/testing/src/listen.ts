import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

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
  const { port, stop } = await listenOnLoopback(createServer());
  await stop();
  return port;
}
