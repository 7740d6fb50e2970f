import { randomUUID } from 'node:crypto';
import { describe } from '@jest/globals';
import { findRedis } from '../../../testing/src/redis.ts';

const executable = findRedis('counters shared by processes');

/** The Redis or Valkey of this machine; only for tests within `describeRedis`. */
export const redisServer = executable ?? '';

/** Tests that need a real Redis or Valkey; without one they are reported as skipped. */
export const describeRedis = executable === undefined ? describe.skip : describe;

/** The ID of a caller that no other test uses. */
export function newCaller(): string {
  return `key:${randomUUID()}`;
}

/** Chooses by a linear congruential generator, so that each run makes the same choices. */
export function chooser(seed: number): <T>(values: readonly T[]) => T {
  let state = seed;
  return (values) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const chosen = values[Math.floor((state / 2 ** 32) * values.length)];
    if (chosen === undefined) throw new Error('There is nothing to choose from.');
    return chosen;
  };
}
