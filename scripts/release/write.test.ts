import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../root.ts';
import { withInfoVersion } from './write.ts';

const contract = readFileSync(join(root, 'openapi.yaml'), 'utf8');

test('a new number changes one line of the contract', () => {
  const before = contract.split('\n');
  const changed = withInfoVersion(contract, '9.8.7').split('\n');
  expect(changed.filter((line, index) => line !== before[index])).toEqual(['  version: 9.8.7']);
  expect(changed).toHaveLength(before.length);
});

test.each(['openapi: 3.1.0\ninfo:\n  title: No number\n', 'x-info:\n  version: 1.0.0\n'])('%j is refused', (yaml) => {
  expect(() => withInfoVersion(yaml, '1.0.1')).toThrow('openapi.yaml has no line "  version: ..." under info.');
});
