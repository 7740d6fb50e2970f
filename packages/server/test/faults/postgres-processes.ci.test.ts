import { expect, test } from '@jest/globals';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import type { TestResponse } from '../harness.ts';
import { allPets, createStore, type RunningStore } from './store.ts';

const SERVERS = 4;
const ANIMALS = 400;
const AT_ONCE = 40;

describeOnPostgres('four servers on one PostgreSQL', (postgres) => {
  test('lose no acknowledged animal when one of them is killed, store none twice, and give each a unique ID', async () => {
    await using store = await createStore(await postgres.freshUrl());
    const servers = await Promise.all(Array.from({ length: SERVERS }, () => store.start()));
    const names = Array.from({ length: ANIMALS }, (_, index) => `pet-${index}`);
    const acknowledged: { name: string; id: number }[] = [];
    const waiting = [...names];
    const workers = Array.from({ length: AT_ONCE }, async (_, worker) => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        acknowledged.push(await addAnywhere(servers, worker, name));
        if (acknowledged.length === ANIMALS / 4) onServer(servers, 0).child.kill('SIGKILL');
      }
    });
    await Promise.all(workers);
    const idOf = new Map(acknowledged.map(({ name, id }) => [name, id]));
    const pets = await allPets((query) => onServer(servers, 1).list(query));
    expect(pets).toHaveLength(ANIMALS);
    expect(new Set(pets.map(({ id }) => id)).size).toBe(ANIMALS);
    expect(pets.filter(({ id, name }) => idOf.get(name) !== id)).toEqual([]);
  });

  test('process a request with an Idempotency-Key once, even if it reaches all of them at the same time', async () => {
    await using store = await createStore(await postgres.freshUrl());
    const servers = await Promise.all(Array.from({ length: SERVERS }, () => store.start()));
    for (let round = 0; round < 10; round += 1) {
      const headers = { 'idempotency-key': `round-${round}` };
      const responses = await Promise.all(servers.map((server) => server.add('Rex', { headers })));
      expect(responses.map(({ status }) => status)).toEqual(Array(SERVERS).fill(201));
      expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
      expect(responses.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    }
    expect(await allPets((query) => onServer(servers, 0).list(query))).toHaveLength(10);
  });
});

/** One of the servers, in turn. */
function onServer(servers: RunningStore[], number: number): RunningStore {
  const server = servers[number % servers.length];
  if (server === undefined) throw new Error('There is no server.');
  return server;
}

/** Adds an animal as a good client does: with an Idempotency-Key, and on another server if one is gone. */
async function addAnywhere(
  servers: RunningStore[],
  first: number,
  name: string,
): Promise<{ name: string; id: number }> {
  for (let number = first; ; number += 1) {
    const sent = onServer(servers, number).add(name, { headers: { 'idempotency-key': name } });
    const response: TestResponse | undefined = await sent.catch(() => undefined);
    if (response?.status === 201) return { name, id: response.body.id };
  }
}
