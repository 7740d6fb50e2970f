import { expect, test } from '@jest/globals';
import type { Sample } from '../measure/samples.ts';
import type { Results } from '../results.ts';
import { lossReport } from './losses.ts';

const sample = (rate: number): Sample => ({ rate, p50: 1, p99: 1, cpu: 1 });

/** Nine rounds, in which we were so many times as fast as Fastify, and refused so many times as fast as we answered. */
function resultsOf(page: number[], refusal: number): Results {
  const even = page.map(() => sample(100));
  return {
    at: '2026-01-01T00:00:00.000Z',
    machine: { cores: 2, processor: 'one', node: 'v24', pinned: true, sync: 1 },
    options: { rounds: page.length, seconds: 1, connections: 1, requests: 1, keys: 1 },
    busiest: 0.5,
    samples: {
      'list, hot page': { 'Animal Store': page.map((ratio) => sample(ratio * 100)), Fastify: even },
      'own 200, made': { 'Animal Store': even },
      '429, key that keeps sending': { 'Animal Store': even.map(() => sample(refusal * 100)) },
    },
    resident: {},
    starts: {},
    memory: {},
    processes: { generate: [], test: [] },
  };
}

const nine = (ratio: number) => Array.from({ length: 9 }, () => ratio);

test('says nothing when all that was measured reached half of its target', () => {
  expect(lossReport(resultsOf(nine(0.8), 0.8))).toBeUndefined();
});

test('names each target that was lost, what that means, and the command that looks closer', () => {
  const report = lossReport(resultsOf(nine(0.3), 0.5));
  expect(report).toContain('list, hot page | Fastify | ≥ 1.5 | 0.30 (0.30 to 0.30)');
  expect(report).toContain('429, key that keeps sending | own 200, made | ≥ 1.5 | 0.50');
  expect(report).toContain('less than half of the target');
  expect(report).toContain("npm run bench -- --only 'list, hot page' --against 'Fastify'");
  expect(report).toContain("npm run bench -- --only '429, key that keeps sending' --against Fastify");
});

test('three disturbed rounds of nine do not decide, and seven do', () => {
  const disturbed = (rounds: number) => nine(1.5).map((ratio, round) => (round < rounds ? 0.1 : ratio));
  for (const rounds of [3, 5, 6]) expect(lossReport(resultsOf(disturbed(rounds), 2))).toBeUndefined();
  expect(lossReport(resultsOf(disturbed(7), 2))).toContain('list, hot page');
});
