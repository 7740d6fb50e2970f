import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { operations } from '../src/index.ts';

const types = readFileSync(new URL('../src/generated/openapi.ts', import.meta.url), 'utf8');

/** What an editor shows about an operation. */
function commentOf(id: string): string {
  const [before = ''] = types.split(`: operations["${id}"]`);
  return before.slice(before.lastIndexOf('/**'));
}

test('the operations of orders and of the sandbox are beta, and all others are stable', () => {
  const beta = Object.entries(operations).flatMap(([id, { stability }]) => (stability === 'beta' ? [id] : []));
  expect(beta).toEqual([
    'listOrders',
    'createOrder',
    'getOrder',
    'completeOrder',
    'cancelOrder',
    'resetSandbox',
    'setSandboxClock',
    'getTranscript',
  ]);
});

test.each(Object.entries(operations))('editors show whether %s is @beta or @deprecated', (id, facts) => {
  expect(/^\s*\*\s+@beta$/m.test(commentOf(id))).toBe(facts.stability === 'beta');
  expect(/@deprecated/.test(commentOf(id))).toBe(facts.deprecation !== null);
});
