import type { Server } from 'node:http';
import { afterAll, beforeAll } from '@jest/globals';
import { listen } from './server.ts';

/** Runs a server during the tests of a file. Returns a function for its port, to be called inside tests. */
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
