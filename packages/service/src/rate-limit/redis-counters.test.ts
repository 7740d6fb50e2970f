import { afterAll, beforeAll } from '@jest/globals';
import { startRedis, type TestRedis } from '../../../testing/src/redis.ts';
import type { RemoteCounters } from './counters.ts';
import { describeRedis, redisServer } from './counters-fixture.ts';
import { describeCounters } from './counters-suite.ts';
import { connectRedis } from './redis-counters.ts';

describeRedis('counters in Redis', () => {
  let redis: TestRedis;
  let counters: RemoteCounters;

  beforeAll(async () => {
    redis = await startRedis(redisServer);
    counters = await connectRedis(redis.url, 'service', 10_000);
  });
  afterAll(async () => {
    counters?.close();
    await redis?.[Symbol.asyncDispose]();
  });

  describeCounters(() => counters);
});
