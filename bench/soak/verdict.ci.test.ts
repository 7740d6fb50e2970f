import { expect, test } from '@jest/globals';
import { faultsOf, riseOf, type Sample } from './verdict.ts';

const MIB = 1_024 * 1_024;

function samplesWith(change: (index: number) => Partial<Sample>): Sample[] {
  const sample = { requests: 1_000, heap: 30 * MIB, resident: 150 * MIB, handles: 40 };
  return Array.from({ length: 12 }, (_, index) => ({ ...sample, minutes: index, ...change(index) }));
}

test.each<[string, (index: number) => Partial<Sample>, string[]]>([
  ['fine if nothing grows', () => ({}), []],
  ['fine if the heap goes up and down', (index) => ({ heap: (30 + (index % 3)) * MIB }), []],
  ['fine if the heap grows only at the start', (index) => ({ heap: (index < 3 ? 10 : 40) * MIB }), []],
  [
    'leaking if the heap keeps growing',
    (index) => ({ heap: (30 + index) * MIB }),
    ['The heap grew by 7.0 MiB after the warm-up.'],
  ],
  [
    'leaking if the number of handles keeps growing',
    (index) => ({ handles: 40 + index * 5 }),
    ['Open handles grew by 35 after the warm-up.'],
  ],
])('a run is %s', (_, change, faults) => {
  expect(faultsOf(samplesWith(change), [])).toEqual(faults);
});

test('a run with wrong responses counts each problem', () => {
  const problems = ['list 500', 'list 500', 'get socket hang up'];
  const faults = ['3 responses were wrong: 2 × list 500, 1 × get socket hang up.'];
  expect(
    faultsOf(
      samplesWith(() => ({})),
      problems,
    ),
  ).toEqual(faults);
});

test.each([
  [[], 0],
  [[5], 0],
  [[1, 2, 3, 4], 3],
  [[4, 3, 2, 1], -3],
])('%j rises by %d', (values, rise) => {
  expect(riseOf(values)).toBeCloseTo(rise);
});
