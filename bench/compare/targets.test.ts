import { describe, expect, test } from '@jest/globals';
import { missedTargetsReport, targetTable } from './report.ts';
import type { Results, Sample } from './results.ts';
import { isClearlyMissed, type Target, targets, verdictOf } from './targets.ts';
import { workloadsOn } from './workloads.ts';

const samples = (...rates: number[]): Sample[] => rates.map((rate) => ({ rate, p50: 1, p99: 1, cpu: 1 }));

function resultsOf(measured: Partial<Results>): Results {
  return {
    startedAt: '2026-01-01T00:00:00.000Z',
    machine: { cores: 2, processor: 'a processor', node: 'v24', pinned: true, syncMs: 1 },
    options: { rounds: 3, seconds: 1, connections: 1 },
    loadBusy: 0.5,
    samples: {},
    resident: {},
    startups: {},
    ...measured,
  };
}

/** Results in which our rates on the hot page are these multiples of the lean peer's. */
function hotPage(...ratios: number[]): Results {
  const own = samples(...ratios.map((ratio) => ratio * 100));
  const peer = samples(...ratios.map(() => 100));
  return resultsOf({ samples: { 'list, hot page': { 'Animal Store': own, 'Fastify, lean': peer } } });
}

const rate = (atLeast: number): Target => ({
  kind: 'rate',
  workload: 'list, hot page',
  against: 'Fastify, lean',
  atLeast,
});

describe('verdictOf', () => {
  test('takes the median of the ratios within each round', () => {
    // Both rates fall in a slow round, and the ratio of their medians would be 3.
    const results = resultsOf({
      samples: { 'list, hot page': { 'Animal Store': samples(200, 10, 300), 'Fastify, lean': samples(100, 10, 100) } },
    });
    expect(verdictOf(results, rate(2))).toMatchObject({ spread: { median: 2 }, met: true });
    expect(verdictOf(results, rate(2.1))).toMatchObject({ met: false });
  });

  test('compares our own workloads, memory and starts', () => {
    const results = resultsOf({
      samples: {
        '200, random pages': { 'Animal Store': samples(100, 100, 100) },
        '429, key over its quota': { 'Animal Store': samples(60, 70, 80) },
      },
      resident: { 'Animal Store': 390, 'Fastify, lean': 200 },
      startups: { 'Animal Store': [500, 300, 400] },
    });
    const errors = { kind: 'own rate', workload: '429, key over its quota', against: '200, random pages' } as const;
    expect(verdictOf(results, { ...errors, atLeast: 1.5 })).toMatchObject({ spread: { median: 0.7 }, met: false });
    const memory = { kind: 'memory', against: 'Fastify, lean', atMost: 1.3 } as const;
    expect(verdictOf(results, memory)).toMatchObject({ spread: { median: 1.95 }, met: false });
    expect(isClearlyMissed(verdictOf(results, memory))).toBe(false);
    expect(isClearlyMissed(verdictOf(results, { ...memory, atMost: 0.9 }))).toBe(true);
    expect(verdictOf(results, { kind: 'start', atMost: 400 })).toMatchObject({ spread: { median: 400 }, met: true });
  });

  test('compares latencies, commits and round trips on PostgreSQL', () => {
    const [workload, lean] = ['get by random id', 'Fastify, lean'] as const;
    const own = [1, 2, 3].map((p99) => ({ rate: 1, p50: 1, p99, cpu: 1, databaseCpu: 1, commits: p99 / 10 }));
    const results = resultsOf({
      database: { version: '18.4', counting: 'PostgreSQL' },
      samples: { [workload]: { 'Animal Store': own, [lean]: samples(1, 1, 1) } },
      roundTrips: { [workload]: { 'Animal Store': 0.98, [lean]: 1 } },
    });
    const p99: Target = { kind: 'p99', workload, against: lean, atMost: 1.3 };
    expect(verdictOf(results, p99)).toMatchObject({ spread: { median: 2 }, met: false });
    const commits: Target = { kind: 'commits', workload, atMost: 0.1 };
    expect(verdictOf(results, commits)).toMatchObject({ spread: { median: 0.2 }, met: false });
    const roundTrips: Target = { kind: 'round trips', workload, atMost: 1 };
    expect(verdictOf(results, roundTrips)).toMatchObject({ spread: { median: 0.98 }, met: true });

    const table = targetTable(results);
    expect(table).toContain('| get by random id | Fastify, lean | ≥ 0.95 | 1.00 (1.00 to 1.00) | yes |');
    expect(table).toContain('| get by random id: p99 | Fastify, lean | ≤ 1.3 | 2.00 (1.50 to 2.50) | **no** |');
    expect(table).toContain('| get by random id: commits that write |  | ≤ 0.1 | 0.20 (0.15 to 0.25) | **no** |');
    expect(table).toContain('| get by random id: round trips |  | ≤ 1 | 0.98 (0.98 to 0.98) | yes |');
  });

  test('has the same operations as targets on PostgreSQL for one process, many keys and two processes', () => {
    const ratesOnPostgres = targets.postgres.flatMap((target) =>
      target.kind === 'rate' ? [[target.workload, target.atLeast]] : [],
    );
    expect(new Map(ratesOnPostgres.map(([workload, atLeast]) => [workload, atLeast]))).toEqual(
      new Map(workloadsOn('postgres').map((name) => [name, name.startsWith('create') ? 1.5 : 0.95])),
    );
    const roundTrips = targets.postgres.filter(({ kind }) => kind === 'round trips');
    expect(roundTrips.map((target) => 'atMost' in target && target.atMost)).toEqual([1, 1, 1, 1, 1, 1, 2, 2]);
  });

  test('ignores targets that were not measured', () => {
    const verdict = verdictOf(resultsOf({}), rate(1));
    expect(verdict).toMatchObject({ spread: undefined, met: undefined });
    expect(isClearlyMissed(verdict)).toBe(false);
    expect(targetTable(resultsOf({}))).not.toContain('Fastify');
    expect(targetTable(hotPage(1.4))).toContain(
      '| list, hot page | Fastify, lean | ≥ 1.5 | 1.40 (1.40 to 1.40) | **no** |',
    );
  });
});

describe('the smoke test', () => {
  const nine = (ratio: number, disturbed = 0) =>
    Array.from({ length: 9 }, (_, round) => (round < disturbed ? 0.1 : ratio));

  test('passes if every target is reached by half', () => {
    expect(missedTargetsReport(hotPage(...nine(0.8)))).toBeUndefined();
  });

  test('fails if a target is missed by half, and names it and the command that measures it', () => {
    const report = missedTargetsReport(hotPage(...nine(0.3)));
    expect(report).toContain('list, hot page | Fastify, lean | ≥ 1.5 | 0.30 (0.30 to 0.30)');
    expect(report).toContain("npm run bench -- --only 'list, hot page' --against 'Fastify, lean'");
  });

  test('names the engine in the command that measures a missed target', () => {
    const workload = 'create, durable';
    const creations = { 'Animal Store': samples(...nine(0.1)), 'Fastify, lean': samples(...nine(1)) };
    const database = { version: '18.4', counting: 'Redis' } as const;
    expect(missedTargetsReport(resultsOf({ database, samples: { [workload]: creations } }))).toContain(
      "npm run bench -- --engine postgres --only 'create, durable' --against 'Fastify, lean'",
    );
  });

  test('tolerates six disturbed rounds of nine, but not seven', () => {
    expect(missedTargetsReport(hotPage(...nine(1.5, 6)))).toBeUndefined();
    expect(missedTargetsReport(hotPage(...nine(1.5, 7)))).toContain('list, hot page');
  });
});
