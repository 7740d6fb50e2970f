import { expect, test } from '@jest/globals';
import { resolveReferences } from './contract.ts';

test('references with escaped characters are resolved', () => {
  const document = { paths: { '/notes': { get: { summary: 'List notes' } } } };
  const node = { item: { $ref: '#/paths/~1notes/get' } };
  expect(resolveReferences(document, node, 'here')).toEqual({ item: { summary: 'List notes' } });
});
