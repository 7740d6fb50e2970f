import { expect, test } from '@jest/globals';
import type { Result } from '../unwrap.ts';
import { createIntents } from './intents.ts';

const lost = new TypeError('Failed to fetch');
const stored = { data: { id: 1 }, response: new Response() };

/** A page whose calls return these results one after another, and the keys of the requests. */
function openPage() {
  const keys: (string | undefined)[] = [];
  const intents = createIntents('POST /notes', true);
  const run = (variables: object, ...results: (Result<unknown> | Error)[]) =>
    intents(variables, {}, async ({ idempotencyKey }) => {
      keys.push(idempotencyKey);
      const result = results.shift() ?? stored;
      if (result instanceof Error) throw result;
      return result;
    });
  return { run, distinct: () => new Set(keys).size };
}

const first = { body: { text: 'first' } };

test('an intent with another file is a new one', async () => {
  const { run, distinct } = openPage();
  const photo = () => ({ body: new Blob(['one']) });
  await expect(run(photo(), lost)).rejects.toBe(lost);
  await run(photo());
  expect(distinct()).toBe(2);
});

test('equal forms are one intent, and a form with another value is a new one', async () => {
  const { run, distinct } = openPage();
  const form = (text: string) => {
    const body = new FormData();
    body.set('text', text);
    return body;
  };
  await expect(run({ body: form('first') }, lost)).rejects.toBe(lost);
  const same = form('first');
  await expect(run({ body: same }, lost)).rejects.toBe(lost);
  expect(distinct()).toBe(1);
  same.set('text', 'second');
  await run({ body: same });
  expect(distinct()).toBe(2);
});

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
