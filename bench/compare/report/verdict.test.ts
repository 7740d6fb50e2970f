import { describe, expect, it } from '@jest/globals';
import type { Sample } from '../measure/samples.ts';
import type { Results } from '../results.ts';
import { isClearlyLost, verdictOf } from './verdict.ts';

const sample = (rate: number): Sample => ({ rate, p50: 1, p99: 1, cpu: 1 });

const results: Results = {
  at: '2026-01-01T00:00:00.000Z',
  machine: { cores: 4, processor: 'one', node: 'v24', pinned: true, sync: 1 },
  options: { rounds: 3, seconds: 1, connections: 1, requests: 1, keys: 1 },
  busiest: 0.5,
  samples: {
    // Ratios of 2, 1 and 3: a slow round of the machine is slow for both.
    'list, hot page': { 'Animal Store': [200, 10, 300].map(sample), Fastify: [100, 10, 100].map(sample) },
    'own 200, made': { 'Animal Store': [100, 100, 100].map(sample) },
    '429, key that keeps sending': { 'Animal Store': [60, 70, 80].map(sample) },
  },
  resident: {},
  starts: { 'Animal Store': [500, 300, 400] },
  memory: { 'Animal Store': [{ heap: 1, resident: 300 }], Fastify: [{ heap: 1, resident: 100 }] },
  processes: { generate: [], test: [] },
};

describe('verdictOf', () => {
  it('takes the median of the ratios within each round', () => {
    const target = { kind: 'rate', work: 'list, hot page', against: 'Fastify', atLeast: 2 } as const;
    expect(verdictOf(results, target)).toMatchObject({ seen: { median: 2 }, met: true });
    expect(verdictOf(results, { ...target, atLeast: 2.1 })).toMatchObject({ met: false });
  });

  it('compares our works with each other, our memory with that of a peer, and starts with a time', () => {
    const refused = {
      kind: 'own rate',
      work: '429, key that keeps sending',
      against: 'own 200, made',
      atLeast: 1.5,
    } as const;
    expect(verdictOf(results, refused)).toMatchObject({ seen: { median: 0.7 }, met: false });
    const memory = { kind: 'memory', against: 'Fastify', atMost: 1.3 } as const;
    expect(verdictOf(results, memory)).toMatchObject({ seen: { median: 3 }, met: false });
    expect(verdictOf(results, { kind: 'start', atMost: 400 })).toMatchObject({ seen: { median: 400 }, met: true });
  });

  it('says nothing of what was not measured', () => {
    const target = { kind: 'rate', work: 'create, durable', against: 'Fastify', atLeast: 1 } as const;
    expect(verdictOf(results, target)).toEqual({ target, seen: undefined, met: undefined });
    expect(isClearlyLost(verdictOf(results, target), 0.5)).toBe(false);
  });
});

describe('isClearlyLost', () => {
  it('is below the half of what is to be reached at least in three of four rounds, and above the double of what may be at most', () => {
    const rate = { kind: 'rate', work: 'list, hot page', against: 'Fastify' } as const;
    expect(isClearlyLost(verdictOf(results, { ...rate, atLeast: 5 }), 0.5)).toBe(false);
    expect(isClearlyLost(verdictOf(results, { ...rate, atLeast: 5.1 }), 0.5)).toBe(true);
    const memory = { kind: 'memory', against: 'Fastify' } as const;
    expect(isClearlyLost(verdictOf(results, { ...memory, atMost: 1.5 }), 0.5)).toBe(false);
    expect(isClearlyLost(verdictOf(results, { ...memory, atMost: 1.4 }), 0.5)).toBe(true);
  });
});
