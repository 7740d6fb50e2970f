import { expect, test } from '@jest/globals';
import { dayOf, timeouts } from './time.ts';

test('the timeouts are ordered', () => {
  const values = Object.values(timeouts);
  expect(values).toEqual(values.toSorted((one, other) => one - other));
});

test.each([
  ['1970-01-01T00:00:00.000Z', 0],
  ['1970-01-01T23:59:59.999Z', 0],
  ['1970-01-02T00:00:00.000Z', 1],
  ['2026-12-01T12:00:00.000Z', 20_788],
])('%s is in the UTC day %i', (time, day) => {
  expect(dayOf(Date.parse(time))).toBe(day);
});
