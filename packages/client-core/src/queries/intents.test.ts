import { expect, jest, test } from '@jest/globals';
import type { Result } from '../unwrap.ts';
import { createIntents } from './intents.ts';

const lost = new TypeError('Failed to fetch');
const stored = { data: { id: 1 }, response: new Response() };

/** A tab of a browser, whose page can be reloaded, and the keys of the requests. */
function openTab() {
  const items = new Map<string, string>();
  const keys: (string | undefined)[] = [];
  const storage = {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, text: string) => void items.set(name, text),
  };
  /** A page whose calls return these results one after another. */
  const load = (operation = 'POST /notes', from = () => storage) => {
    const run = createIntents(operation, true, from);
    return (variables: object, ...results: (Result<unknown> | Error)[]) =>
      run(variables, {}, async ({ idempotencyKey }) => {
        keys.push(idempotencyKey);
        const result = results.shift() ?? stored;
        if (result instanceof Error) throw result;
        return result;
      });
  };
  return { load, keys, items, distinct: () => new Set(keys).size };
}

const first = { body: { text: 'first' } };

test('an intent whose response is lost keeps its key after a reload, until it succeeds', async () => {
  const { load, keys, items, distinct } = openTab();
  await expect(load()(first, lost)).rejects.toBe(lost);
  expect([...items].join()).not.toContain('first');
  await load()({ body: { text: 'second' } });
  const page = load();
  await page(first);
  expect([keys[2] === keys[0], distinct()]).toEqual([true, 2]);
  await page(first);
  await load()(first);
  expect(distinct()).toBe(4);
});

test('two pages that are loaded at once, such as a copy of a tab, keep the intents of each other', async () => {
  const { load, distinct } = openTab();
  const [one, two] = [load(), load()];
  await expect(one(first, lost)).rejects.toBe(lost);
  await expect(two({ body: { text: 'second' } }, lost)).rejects.toBe(lost);
  await load()({ body: { text: 'second' } });
  await load()(first);
  expect(distinct()).toBe(2);
});

test('a change that is lost is a new intent after another change, even after a reload', async () => {
  const { load, distinct } = openTab();
  const change = (text: string) => ({ noteId: 1, body: { text } });
  await expect(load('PATCH /notes/{noteId}')(change('one'), lost)).rejects.toBe(lost);
  await expect(load('PATCH /notes/{noteId}')(change('two'), lost)).rejects.toBe(lost);
  await load('PATCH /notes/{noteId}')(change('one'));
  expect(distinct()).toBe(3);
});

test('an intent is forgotten after a day, and never found again if it has a file', async () => {
  const { load, distinct } = openTab();
  await expect(load()(first, lost)).rejects.toBe(lost);
  jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 86_400_001);
  await load()(first);
  jest.restoreAllMocks();
  expect(distinct()).toBe(2);
  const photo = () => ({ body: new Blob(['one']) });
  await expect(load()(photo(), lost)).rejects.toBe(lost);
  await load()(photo());
  expect(distinct()).toBe(4);
});

test('a page without storage, or with a broken one, forgets its intents when it is reloaded', async () => {
  const { load, distinct, items } = openTab();
  const forbidden = () => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };
  await expect(load('POST /notes', forbidden)(first, lost)).rejects.toBe(lost);
  await load('POST /notes', forbidden)(first);
  items.set('intents POST /notes', '{');
  await load()(first);
  expect(distinct()).toBe(3);
});

test('repeated clicks of an intent store it once', async () => {
  const { load, items, distinct } = openTab();
  const saved: string[] = [];
  const page = load('POST /notes', () => ({
    getItem: (name) => items.get(name) ?? null,
    setItem: (_name, text) => void saved.push(text),
  }));
  for (const _click of [1, 2, 3]) await expect(page(first, lost)).rejects.toBe(lost);
  expect([saved.length, distinct()]).toEqual([1, 1]);
});

test('equal forms are one intent, and a form with another value is a new one', async () => {
  const { load, distinct } = openTab();
  const page = load();
  const form = (text: string) => {
    const body = new FormData();
    body.set('text', text);
    return body;
  };
  await expect(page({ body: form('first') }, lost)).rejects.toBe(lost);
  const same = form('first');
  await expect(page({ body: same }, lost)).rejects.toBe(lost);
  expect(distinct()).toBe(1);
  same.set('text', 'second');
  await page({ body: same });
  expect(distinct()).toBe(2);
});

test('a call with a time limit of its own ends no other call of the same intent', async () => {
  const run = createIntents('POST /notes', true, () => {
    throw new TypeError('There is no storage.');
  });
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
