import { describe, expect, test } from '@jest/globals';
import { simulate, standardOptions, type WayResult } from './simulate.ts';
import { type WayName, ways } from './ways/index.ts';

const options = { ...standardOptions, processes: 50, keys: 60, minutes: 2, outage: 20 };

const results = new Map<WayName, WayResult>(ways.map((way) => [way.name, simulate(way, options)]));

function of(name: WayName): WayResult {
  const result = results.get(name);
  if (result === undefined) throw new Error(`${name} was not simulated.`);
  return result;
}

describe('the simulation of the limiter', () => {
  test('is the same each time for the same seed, and another one for another seed', () => {
    const [way] = ways;
    expect(simulate(way, options)).toEqual(of('exact'));
    expect(simulate(way, { ...options, seed: 2 }).due).not.toBe(of('exact').due);
  });

  test('plays the same requests against each way', () => {
    expect(new Set([...results.values()].map(({ requestsPerSecond }) => requestsPerSecond)).size).toBe(1);
  });

  test.each(['exact', 'leased', 'largeLeases', 'atHome'] as const)('%s lets nothing over a quota', (name) => {
    expect(of(name).over).toBe(0);
    expect(of(name).worst).toBeLessThanOrEqual(1);
  });

  test.each(['exact', 'insured', 'alone', 'synchronised', 'atHome'] as const)('%s refuses nobody wrongly', (name) => {
    expect(of(name).refusedWrongly).toBe(0);
  });

  test('each process alone gives a quota per process, as far as it is asked for', () => {
    // No key asks for more than four quotas, so no more can pass.
    expect(of('alone').worst).toBeGreaterThan(2);
    expect(of('alone').worst).toBeLessThan(5);
    expect(of('alone').over).toBeGreaterThan(of('synchronised').over);
  });

  test('a store that is away lets some over the quota, fewer than if nobody had counted together', () => {
    expect(of('insured').over).toBeGreaterThan(0);
    expect(of('insured').over).toBeLessThan(of('alone').over);
    expect(of('insured').waiting.p99).toBeLessThan(101);
  });

  test('large leases refuse, because what one process holds others lack', () => {
    expect(of('largeLeases').refusedWrongly).toBeGreaterThan(of('leased').refusedWrongly);
  });

  test('one store does an operation per request, and counts as many of one key as its core can', () => {
    const { operationsPerSecond, requestsPerSecond, hotKeyLimit, waiting } = of('exact');
    // The last ones are still on their way.
    expect(operationsPerSecond / requestsPerSecond).toBeCloseTo(1, 2);
    expect((hotKeyLimit ?? 0) / (1_000_000 / options.service)).toBeCloseTo(1, 1);
    expect(waiting.p50).toBeGreaterThan(options.roundTrip * 0.8);
    expect(of('atHome')).toMatchObject({ operationsPerSecond: 0, hotKeyLimit: undefined, waiting: { p50: 0, p99: 0 } });
  });
});
