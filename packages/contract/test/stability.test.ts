import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { operations } from '../src/index.ts';

const types = readFileSync(new URL('../src/generated/openapi.ts', import.meta.url), 'utf8');

/** What an editor shows of an operation. */
function commentOf(id: string): string {
  const [before = ''] = types.split(`: operations["${id}"]`);
  return before.slice(before.lastIndexOf('/**'));
}

test('the store orders are beta, the pets are stable', () => {
  for (const { path, stability } of Object.values(operations)) {
    if (path.startsWith('/store/orders')) expect([path, stability]).toEqual([path, 'beta']);
    if (/^\/pets(\/\{petId\})?$/.test(path)) expect([path, stability]).toEqual([path, 'stable']);
  }
});

test.each(Object.entries(operations))('editors show of %s whether it is @beta or @deprecated', (id, facts) => {
  expect(/^\s*\*\s+@beta$/m.test(commentOf(id))).toBe(facts.stability === 'beta');
  expect(/@deprecated/.test(commentOf(id))).toBe(facts.deprecation !== null);
});
