import { describe, expect, test } from '@jest/globals';
import { faultsOf, risePerRun, type Sample } from './verdict.ts';

const MIB = 1_024 * 1_024;

function samplesWith(change: (index: number) => Partial<Sample>): Sample[] {
  return Array.from({ length: 12 }, (_, index) => ({
    minutes: index,
    requests: index * 1_000,
    heap: 30 * MIB,
    resident: 150 * MIB,
    handles: 40,
    ...change(index),
  }));
}

describe('a run is found', () => {
  test('well, when nothing grows', () => {
    expect(
      faultsOf(
        samplesWith(() => ({})),
        [],
      ),
    ).toEqual([]);
  });

  test('well, when the heap goes up and down, or fills at the start only', () => {
    expect(
      faultsOf(
        samplesWith((index) => ({ heap: (30 + (index % 3)) * MIB })),
        [],
      ),
    ).toEqual([]);
    expect(
      faultsOf(
        samplesWith((index) => ({ heap: (index < 3 ? 10 : 40) * MIB })),
        [],
      ),
    ).toEqual([]);
  });

  test('leaking, when the heap goes on growing', () => {
    expect(
      faultsOf(
        samplesWith((index) => ({ heap: (30 + index) * MIB })),
        [],
      ),
    ).toEqual(['The heap grew by 7.0 MiB while it was warm.']);
  });

  test('leaking, when handles go on growing', () => {
    expect(
      faultsOf(
        samplesWith((index) => ({ handles: 40 + index * 5 })),
        [],
      ),
    ).toEqual(['Open handles grew by 35 while it was warm.']);
  });

  test('wrong, when replies were', () => {
    expect(
      faultsOf(
        samplesWith(() => ({})),
        ['list 500', 'list 500', 'get socket hang up'],
      ),
    ).toEqual(['3 replies were wrong: 2 × list 500, 1 × get socket hang up.']);
  });
});

test.each([
  [[], 0],
  [[5], 0],
  [[1, 2, 3, 4], 3],
  [[4, 3, 2, 1], -3],
  [[2, 2, 2], 0],
])('%j rise by %d', (values, rise) => {
  expect(risePerRun(values)).toBeCloseTo(rise);
});
