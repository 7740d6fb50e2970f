import type { Server } from 'node:http';

/** Where peers listen. */
export const listenOptions = { port: Number(process.env['PORT'] ?? 0), host: '127.0.0.1' };

/** As long as our server keeps an idle connection open, in milliseconds. */
export const keepAliveTimeout = 65_000;

/** Says where a peer listens, in the words of our server, and ends it on SIGTERM. */
export function announce(server: Pick<Server, 'address'>, peer: { close(): void }): void {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.once('SIGTERM', () => {
    peer.close();
    process.exit(0);
  });
  console.log(`API http://127.0.0.1:${port}/v1`);
}
