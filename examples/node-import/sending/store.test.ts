import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Journal, openJournal } from './journal.ts';
import { createImportStore } from './store.ts';

let folder: string;
let journal: Journal;
let server: Server;
let statuses: number[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-sending-'));
  journal = openJournal(join(folder, 'journal'), 'hash', Date.now);
  // Responds with these statuses one after another; 0 closes the connection instead.
  server = createServer((request, response) => {
    const status = statuses.shift() ?? 500;
    if (status === 0) request.socket.destroy();
    else response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  journal.close();
  rmSync(folder, { recursive: true });
  server.closeAllConnections();
  server.close();
});

/** Sends a row that gets these responses, including retries of the client. Returns whether it counts as sent. */
async function isSentAfter(responses: number[]): Promise<boolean> {
  statuses = responses;
  const address = server.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`;
  const store = createImportStore({ apiKey: 'key', baseUrl }, journal, () => {});
  const init = { body: { name: 'Rex', categoryId: 1 }, params: { header: { 'Idempotency-Key': 'row' } } };
  await store.POST('/pets', init).catch(() => {});
  expect(statuses).toEqual([]);
  return journal.firstSentAt('row') !== undefined;
}

test.each([
  ['was added', [201], true],
  ['was refused', [400], false],
  ['got a 401', [401], false],
  ['got a server error, which may have occurred after it was added', [500], true],
  ['got no answer', [0, 0, 0], true],
  ['got no response, then a refusal', [0, 401], true],
  ['is being sent by another process', [409], true],
])('a row that %s: %j', async (_, responses, isSent) => {
  expect(await isSentAfter(responses)).toBe(isSent);
});
