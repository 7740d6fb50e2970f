import type { Server } from 'node:http';
import { afterAll, beforeAll } from '@jest/globals';
import { listen } from './server.ts';

/** Has a server listen while the tests of a file run. Gives its port, which is known from the first test on. */
export function listening(server: Server): () => number {
  let port = 0;
  beforeAll(async () => {
    port = await listen(server, 0, '127.0.0.1');
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  return () => port;
}
