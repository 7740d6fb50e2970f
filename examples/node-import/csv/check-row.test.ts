import { expect, test } from '@jest/globals';
import { checkRow } from './check-row.ts';

function check(values: Record<string, string>) {
  return checkRow({ line: 1, values, surplus: 0 });
}

test.each([
  ['a name of 255 characters, each of two code units', { name: '🐈'.repeat(255), categoryId: '1' }],
  ['the largest integer', { name: 'Rex', categoryId: '9007199254740991' }],
  ['the smallest integer', { name: 'Rex', categoryId: '-9007199254740991' }],
])('%s is valid', (_, values) => {
  expect(check(values)).toEqual({ pet: { name: values.name, categoryId: Number(values.categoryId) } });
});

test.each([
  ['name is required', { categoryId: '1' }],
  ['name must NOT have more than 255 characters', { name: 'x'.repeat(256), categoryId: '1' }],
  ['name must not contain control characters', { name: 'a\tb', categoryId: '1' }],
  ['categoryId is required', { name: 'Rex', categoryId: ' ' }],
  ['categoryId must be integer, not "1.0"', { name: 'Rex', categoryId: '1.0' }],
  ['categoryId must be integer, not "007"', { name: 'Rex', categoryId: '007' }],
  ['categoryId must be <= 9007199254740991', { name: 'Rex', categoryId: '9007199254740992' }],
  ['categoryId must be >= -9007199254740991', { name: 'Rex', categoryId: '-9007199254740993' }],
  ['status must be one of available, pending, sold, not "Sold"', { name: 'Rex', categoryId: '1', status: 'Sold' }],
])('%s', (problem, values) => {
  expect(check(values)).toEqual({ problems: [problem] });
});

test('all problems of a row are reported at once', () => {
  expect(check({ categoryId: 'x', status: 'lost' }).problems).toHaveLength(3);
});
