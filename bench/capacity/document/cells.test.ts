import { expect, test } from '@jest/globals';
import { bytes, count, figures, more, percent } from './cells.ts';

test('numbers have three figures at most, and their unit', () => {
  expect([0.0123, 1.25, 12.34, 123.4, 12_345].map(figures)).toEqual(['0.012', '1.3', '12.3', '123', '12,300']);
  expect([0, 0.004, 0.123, 1.5].map(percent)).toEqual(['0 %', 'under 1 %', '12.3 %', '150 %']);
  expect([47.1, 50_300_000, 5.2e9].map(bytes)).toEqual(['47.1 B', '50.3 MB', '5.2 GB']);
  expect([10, 10_000, 1_000_000].map(count)).toEqual(['10', '10 thousand', '1 million']);
});

test('a difference that is below zero in a quarter of the rounds is noise', () => {
  expect(more({ median: 12, low: 3, high: 20 })).toBe('12 (3 to 20)');
  expect(more({ median: 12, low: -1, high: 20 })).toBe('less than the noise');
});
