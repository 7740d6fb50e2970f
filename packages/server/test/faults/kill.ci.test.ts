import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { createStore, type RunningStore, type Store } from './store.ts';

/**
 * Two stores run at the same time. Each is killed this many times: once after each number of responses that a round can
 * have.
 */
const KILLS = 10;
const AT_ONCE = 2 * KILLS;

type Acknowledged = { id: number; name: string };

test('a store that is killed 20 times while it writes keeps each acknowledged animal exactly once', async () => {
  await Promise.all([killAgainAndAgain(0), killAgainAndAgain(KILLS)]);
}, 170_000);

/** Kills the server of a store after `skipped + 1` responses, then after one more in each round. */
async function killAgainAndAgain(skipped: number): Promise<void> {
  await using store = await createStore();
  const acknowledged: Acknowledged[] = [];
  for (let round = 1; round <= KILLS; round += 1)
    acknowledged.push(...(await killWhileItWrites(store, round, skipped + round)));
  const server = await store.start();
  // Requests without a response are sent again, as a good client does. No pet may exist twice.
  for (let round = 1; round <= KILLS; round += 1) {
    for (const name of namesOf(round)) acknowledged.push(await send(server, name));
  }
  await server.end('SIGTERM');

  const database = new DatabaseSync(store.path, { readOnly: true });
  const rows = database.prepare('SELECT id, name FROM pets').all();
  const integrity = database.prepare('PRAGMA integrity_check').all();
  database.close();
  expect(integrity).toEqual([{ integrity_check: 'ok' }]);
  expect(rows).toHaveLength(KILLS * AT_ONCE);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(KILLS * AT_ONCE);
  const nameOf = new Map(rows.map(({ id, name }) => [id, name]));
  expect(acknowledged.filter(({ id, name }) => nameOf.get(id) !== name)).toEqual([]);
}

/** Sends creations, and kills the server once `enough` of them are answered. */
async function killWhileItWrites(store: Store, round: number, enough: number): Promise<Acknowledged[]> {
  const server = await store.start();
  const acknowledged: Acknowledged[] = [];
  const sending = namesOf(round).map(async (name) => {
    const pet = await send(server, name).catch(() => undefined);
    if (pet !== undefined) acknowledged.push(pet);
    if (acknowledged.length === enough) server.child.kill('SIGKILL');
  });
  await Promise.all(sending);
  await server.end('SIGKILL');
  return acknowledged;
}

function namesOf(round: number): string[] {
  return Array.from({ length: AT_ONCE }, (_, index) => `pet-${round}-${index}`);
}

async function send(server: RunningStore, name: string): Promise<Acknowledged> {
  const { status, body } = await server.add(name, { headers: { 'idempotency-key': name } });
  expect(status).toBe(201);
  expect(body.name).toBe(name);
  return { id: body.id, name };
}
