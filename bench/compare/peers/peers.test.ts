import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Ask } from '../../load/load.ts';
import { type Server, startServer } from '../../server/server.ts';
import { copyData, makeData } from '../subjects/data.ts';
import { dataFolder, ours, placeOf, type ServerName, serverNames } from '../subjects/servers.ts';
import { asksOf } from './testing/asks.ts';
import { comparable, see } from './testing/seen.ts';

/** As often a request is sent at most until its quota is used up, though a minute may end meanwhile. */
const QUOTA = 130;

const folder = mkdtempSync(join(tmpdir(), 'animal-store-peers-'));
const data = makeData(join(folder, 'template'));
const asks = asksOf(data);
const running = new Map<ServerName, Server>();
const peers = serverNames.filter((name) => name !== ours);

beforeAll(async () => {
  for (const name of serverNames) {
    copyData(data.file, dataFolder(folder, name));
    const place = placeOf(name, dataFolder(folder, name), { TRUST_PROXY: '1' });
    running.set(name, await startServer(place, data.key, undefined));
  }
});

afterAll(async () => {
  for (const server of running.values()) await server.stop();
  rmSync(folder, { recursive: true });
});

const answered = new Map<string, Promise<unknown[]>>();

/** What a server answers to all requests of a kind; each is sent once only, for some change what follows. */
function repliesOf(name: ServerName, kind: string): Promise<unknown[]> {
  const known = answered.get(`${name} ${kind}`);
  const replies = known ?? askAll(name, asks.get(kind) ?? []);
  answered.set(`${name} ${kind}`, replies);
  return replies;
}

async function askAll(name: ServerName, list: Ask[]): Promise<unknown[]> {
  const port = running.get(name)?.port ?? 0;
  const replies: unknown[] = [];
  for (const one of list) {
    let seen = await see(port, one.bytes);
    for (let sent = 1; one.status === 429 && seen.status !== 429 && sent < QUOTA; sent += 1)
      seen = await see(port, one.bytes);
    expect(seen.status).toBe(one.status);
    replies.push(comparable(seen));
  }
  return replies;
}

describe.each(peers)('%s does the work of our server', (peer) => {
  test.each([...asks.keys()])('%s: same statuses, headers and bodies', async (kind) => {
    const expected = await repliesOf(ours, kind);
    expect(expected.length).toBeGreaterThan(0);
    expect(await repliesOf(peer, kind)).toEqual(expected);
  });
});

test('every server has written down the same requests of a key when it ends', async () => {
  for (const server of running.values()) await server.stop();
  running.clear();
  const used = serverNames.map((name) => usageIn(join(dataFolder(folder, name), 'bench.db')));
  expect(new Set(used.map((rows) => JSON.stringify(rows))).size).toBe(1);
  expect(used[0]).toHaveLength(3);
});

function usageIn(file: string): unknown[] {
  const database = new DatabaseSync(file);
  const rows = database.prepare('SELECT key_id, day_used FROM usage ORDER BY key_id').all();
  database.close();
  return rows;
}
