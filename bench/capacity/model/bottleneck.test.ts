import { describe, expect, test } from '@jest/globals';
import { readRun } from '../run.ts';
import { carriedBy, fleet, fleetWithoutRedis, HEADROOM, oneMachine } from './bottleneck.ts';
import { averageCost, bytesAt } from './costs.ts';

const run = readRun();
const load = { animals: 1_000_000, keys: 1_000, rate: 100 };

describe('one machine', () => {
  test('what it carries uses its cores as far as they may be used', () => {
    const rate = carriedBy(run, run.machine.cores, load);
    const { server } = averageCost(run, 'SQLite', { ...load, rate });
    expect((rate * server) / (run.machine.cores * 1_000_000)).toBeCloseTo(HEADROOM, 2);
  });

  test('twice the rate uses its cores twice as far', () => {
    const coresAt = (rate: number) =>
      oneMachine(run, { ...load, rate }).find(({ what }) => what === 'cores')?.used ?? 0;
    // Fast enough that the keys are remembered either way.
    expect(coresAt(200_000) / coresAt(100_000)).toBeCloseTo(2, 1);
  });

  test('a catalogue larger than its memory uses up the memory first', () => {
    const animals = (2 * run.machine.memory) / bytesAt(run, 'SQLite', 1);
    const [first] = oneMachine(run, { ...load, animals });
    expect(first?.what).toBe('memory');
    expect(first?.used).toBeCloseTo(2, 1);
  });
});

describe('several machines', () => {
  test('need as much of Redis as it took for a count, times the rate', () => {
    const perCount = run.requests.unknownOnRedis?.engine?.median ?? Number.NaN;
    expect(fleet(run, { ...load, rate: 10_000 })?.redis).toBeCloseTo((10_000 * perCount) / 1_000_000);
  });

  test('are not spoken of where Redis was not measured', () => {
    const { unknownOnRedis, ...requests } = run.requests;
    expect(unknownOnRedis).toBeDefined();
    expect(fleet({ ...run, requests }, load)).toBeUndefined();
  });

  test('need more of PostgreSQL where it counts, and nothing of a Redis', () => {
    const [withRedis, without] = [fleet(run, load), fleetWithoutRedis(run, load)];
    expect(without.redis).toBe(0);
    expect(without.postgresCores).toBeGreaterThan(withRedis?.postgresCores ?? Number.NaN);
  });
});
