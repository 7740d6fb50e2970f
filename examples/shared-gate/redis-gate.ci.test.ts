import { createAnimalStore } from '@animal-store/client';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestServer, type TestServer } from '../../packages/server/test/harness.ts';
import { findRedis, startRedis, type TestRedis } from '../../packages/testing/src/redis.ts';
import { createRedisGate } from './redis-gate.ts';

const executable = findRedis('the shared gate');
const withRedis = executable === undefined ? test.skip : test;

let redis: TestRedis | undefined;
let server: TestServer;
beforeAll(async () => {
  if (executable !== undefined) redis = await startRedis(executable);
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
});
afterAll(async () => {
  await server.stop();
  await redis?.[Symbol.asyncDispose]();
});

withRedis(
  'clients that share a gate through Redis cost one refusal together, including one that starts later',
  async () => {
    const apiKey = await server.createKey('free');
    let refusals = 0;
    const open = (gate: Awaited<ReturnType<typeof createRedisGate>>) =>
      createAnimalStore({
        apiKey,
        baseUrl: `${server.url}/v1`,
        gate,
        maxRetryAfter: 0,
        fetch: async (request) => {
          const response = await fetch(request);
          if (response.status === 429) refusals += 1;
          return response;
        },
      });
    await using one = await createRedisGate(redis?.url ?? '', 'key 1');
    await using two = await createRedisGate(redis?.url ?? '', 'key 1');
    const [first, second] = [open(one), open(two)];
    for (let call = 0; call < 61; call += 1) await first.GET('/pets');
    while (second.rateLimit?.remaining !== 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await using three = await createRedisGate(redis?.url ?? '', 'key 1');
    const errors = [await second.GET('/pets'), await open(three).GET('/pets')].map(({ error }) => error);
    expect(errors).toMatchObject([{ code: 'rate_limited' }, { code: 'rate_limited' }]);
    expect(refusals).toBe(1);
  },
);
