import type { Server } from 'node:http';

export const listenOptions = { port: Number(process.env['PORT'] ?? 0), host: '127.0.0.1' };

/** Our server keeps idle connections open for the same time, in milliseconds. */
export const keepAliveTimeout = 65_000;

/** Prints the address of a peer in the format of our server, and ends the process on SIGTERM. */
export function announce(server: Pick<Server, 'address'>, peer: { close(): void }): void {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.once('SIGTERM', () => {
    peer.close();
    process.exit(0);
  });
  console.log(`API http://127.0.0.1:${port}/v1`);
}
