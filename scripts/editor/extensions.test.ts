import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { dig } from '../lint/redocly.ts';
import { root } from '../root.ts';

const { definitions } = JSON.parse(readFileSync(join(root, 'schemas/extensions.json'), 'utf8'));

// Lint decides what an extension looks like; editors complete by schemas/extensions.json, where it is also explained.
test.each([
  ['x-deprecation', 'deprecation.yaml', 'rule/deprecated-has-x-deprecation'],
  ['x-codes', 'errors.yaml', 'rule/error-rows-are-complete'],
  ['x-rate-limits', 'limits.yaml', 'rule/rate-limits-are-complete'],
  ['x-limits', 'limits.yaml', 'rule/limits-are-positive'],
])('%s has the same shape for editors as for lint', (extension, file, rule) => {
  const lint = parse(readFileSync(join(root, 'scripts/lint', file), 'utf8'));
  const shape = dig(lint, 'rules', rule, 'assertions', 'schema');
  expect(shape).toBeDefined();
  expect(withoutDescriptions(definitions[extension])).toEqual(shape);
});

test('x-stability has the same values for editors as for lint', () => {
  const lint = parse(readFileSync(join(root, 'scripts/lint/stability.yaml'), 'utf8'));
  expect(definitions['x-stability'].enum).toEqual(dig(lint, 'rules', 'rule/stability-is-beta', 'assertions', 'enum'));
});

function withoutDescriptions(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutDescriptions);
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).filter(([key, value]) => key !== 'description' || typeof value !== 'string');
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutDescriptions(value)]));
}
