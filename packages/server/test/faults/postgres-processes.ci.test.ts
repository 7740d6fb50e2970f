import { expect, test } from '@jest/globals';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { allPets, createStore } from './store.ts';

const SERVERS = 4;

describeOnPostgres('four servers on one PostgreSQL', (postgres) => {
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
    const [server] = servers;
    expect(server && (await allPets((query) => server.list(query)))).toHaveLength(10);
  });
});
