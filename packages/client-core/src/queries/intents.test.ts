import { expect, test } from '@jest/globals';
import type { Result } from '../unwrap.ts';
import { createIntents } from './intents.ts';

const stored: Result<unknown> = { data: { id: 1 }, response: new Response() };

const first = { body: { text: 'first' } };

test('a call with a time limit of its own ends no other call of the same intent', async () => {
  const run = createIntents('POST /notes', true);
  const keys: (string | undefined)[] = [];
  const late = new Error('The call did not end within its deadline.');
  const send = async ({
    deadline,
    idempotencyKey,
  }: {
    deadline?: number | undefined;
    idempotencyKey?: string | undefined;
  }) => {
    keys.push(idempotencyKey);
    if (deadline !== undefined) throw late;
    return stored;
  };
  const [limited, other] = [run(first, { deadline: 1 }, send), run(first, {}, send)];
  await expect(limited).rejects.toBe(late);
  expect([await other, new Set(keys).size]).toEqual([stored, 1]);
});
