import { afterAll, beforeAll } from '@jest/globals';
import type { SharedCounters } from '../../service/src/rate-limit/counters.ts';
import { describeCounters } from '../../service/src/rate-limit/suite/counters.ts';
import { startRedis, type TestRedis } from '../../testing/src/redis.ts';
import { openRedisCounters } from '../src/index.ts';
import { describeRedis, redisServer } from './in-tests.ts';

describeRedis('counters in Redis', () => {
  let redis: TestRedis;
  let counters: SharedCounters;

  beforeAll(async () => {
    redis = await startRedis(redisServer);
    counters = await openRedisCounters(redis.url, 'service');
  });
  afterAll(async () => {
    counters?.close();
    await redis?.[Symbol.asyncDispose]();
  });

  describeCounters(() => counters);
});
