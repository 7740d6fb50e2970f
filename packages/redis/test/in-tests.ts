import { describe } from '@jest/globals';
import { findRedis } from '../../testing/src/redis.ts';

const executable = findRedis('counters shared by processes');

/** The Redis or Valkey of this machine; only for tests within `describeRedis`. */
export const redisServer = executable ?? '';

/** Tests that need a real Redis or Valkey; without one they are reported as skipped. */
export const describeRedis = executable === undefined ? describe.skip : describe;
