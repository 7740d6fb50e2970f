import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { transform } from '@swc/core';
import { temporary } from '../../client-core/src/sending/retry.ts';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { type AnimalStoreOptions, type CallOptions, defaults } from '../src/index.ts';
import { runCode } from './run-code.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const reference = readFileSync(new URL('../docs/reference.md', import.meta.url), 'utf8');
const address = 'http://127.0.0.1:3000/v1';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
});
afterAll(() => server.stop());

/** Compiles only with exactly the options that exist. */
const options: Record<keyof AnimalStoreOptions, true> = {
  apiKey: true,
  baseUrl: true,
  maxRetries: true,
  timeout: true,
  deadline: true,
  maxRetryAfter: true,
  maxConcurrent: true,
  firstDelay: true,
  maxResponseBytes: true,
  gate: true,
  validate: true,
  logger: true,
  onEvent: true,
  onDeprecated: true,
  fetch: true,
};

/** Compiles only with exactly the options of a call that exist. */
const callOptions: Record<keyof CallOptions, true> = {
  timeout: true,
  deadline: true,
  maxRetries: true,
  maxRetryAfter: true,
  signal: true,
  headers: true,
  idempotencyKey: true,
};

/** The names and the second cells of the table below a heading. */
function rowsOf(heading: string): [name: string, value: string][] {
  const [, section = ''] = reference.split(`\n## ${heading}\n`);
  const rows = section.slice(0, section.indexOf('\n## ')).matchAll(/^\| `(\w+)` \| (.+?) \|/gm);
  return [...rows].map(([, name = '', value = '']) => [name, value]);
}

const namesOf = (heading: string) =>
  rowsOf(heading)
    .map(([name]) => name)
    .toSorted();

describe('the tables of options', () => {
  test('have exactly the options that exist', () => {
    expect(namesOf('Client options')).toEqual(Object.keys(options).toSorted());
    expect(namesOf('Request options')).toEqual(Object.keys(callOptions).toSorted());
  });

  test('have the defaults', () => {
    const numbers = Object.entries(defaults).map(([name, value]) => [name, `\`${value}\``]);
    expect(Object.fromEntries(rowsOf('Client options'))).toMatchObject(Object.fromEntries(numbers));
  });
});

test('the retried statuses are those of the code', () => {
  const [, statuses] = /network failures and these statuses: ([\d, ]+), twice/.exec(readme) ?? [];
  expect(statuses).toBe(temporary.filter((status) => status > 0).join(', '));
});

test('the oldest supported Node.js is that of package.json', () => {
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const [, oldest] = /^\* Node (\d+) or newer/m.exec(readme) ?? [];
  expect(engines.node).toBe(`>=${oldest}`);
});

describe('the code of the README and of the reference works as pasted:', () => {
  const blocks = [...`${readme}${reference}`.matchAll(/```ts\n(.+?)```/gs)].map(([, code = '']) => code);
  const expected = [
    /^Rex false\nRex true\n$/,
    /^1 Rex\n2 Rex\n$/,
    /^Rex is number 3\.\n$/,
    /^Rex\n$/,
    /^\[ \{ message: 'must not be empty', path: \[ 'name' \] \} \]\n$/,
    /^\[ 'Rex', 'Mia', 'Bob' \]\ninvalid_request\nrate_limited\n2\n$/,
    /^304 undefined\n\d+\n$/,
    /^(?=.*GET \/pets\/\{petId\} 2030-)(?=.*GET \/pets\/\{petId\} 200 1).*response /s,
    /^valid\n$/,
  ];

  beforeAll(async () => {
    await server.call('createPet', { body: { name: 'Rex', categoryId: 3, status: 'available' } });
  });

  test('each block has an expected output', () => {
    expect(blocks).toHaveLength(expected.length);
  });

  test.each(blocks.map((code, number) => [number, code] as const))('block %i', async (number, code) => {
    const [, ownClient] = /(createAnimalStore\()/.exec(code) ?? [];
    const store = `const store = (await import('@animal-store/client')).createAnimalStore({ apiKey: process.env.ANIMAL_STORE_KEY, baseUrl: '${address}' });`;
    const script = `${ownClient === undefined ? store : ''}\n${code}`.replaceAll(address, `${server.url}/v1`);
    expect(await runCode(script, { ANIMAL_STORE_KEY: server.key })).toMatch(expected[number] ?? /^$/);
  });
});

/** Globals that browsers have and Node.js does not. */
const page = `
const window = new (await import('happy-dom')).Window({ url: 'http://127.0.0.1/' });
Object.assign(globalThis, { window, document: window.document, prompt: () => process.env.ANIMAL_STORE_KEY });
`;

/** Shows the app, adds Rex, loads the next page, and prints the animals before and after, and the quota. */
const visit = `
const container = document.createElement('div');
const root = (await import('react-dom/client')).createRoot(container);
root.render(app);
const all = (selector) => [...container.querySelectorAll(selector)].map(({ textContent }) => textContent).join(', ');
const until = async (condition) => { while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5)); };
const press = async (name) => {
  const button = () => [...container.querySelectorAll('button')].find(({ textContent }) => textContent === name);
  await until(button);
  button().click();
};
await until(() => all('p') === 'Mia, Bruno');
const first = all('p');
await press('Add Rex');
await press('Load more');
await until(() => all('p').endsWith('Rex'));
console.log([first, all('p'), all('footer')].join(' | '));
root.unmount();
queryClient.clear();
`;

test('the React example of the README works as pasted', async () => {
  await using empty = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  for (const name of ['Mia', 'Bruno']) await empty.call('createPet', { body: { name, categoryId: 3 } });
  const [, block = ''] = /```tsx\n(.+?)```/s.exec(readme) ?? [];
  const { code } = await transform(`${page}\n${block}\n${visit}`, {
    jsc: {
      parser: { syntax: 'typescript', tsx: true },
      transform: { react: { runtime: 'automatic' } },
      target: 'es2024',
    },
  });
  const here = code.replaceAll('http://127.0.0.1:3000/v1', `${empty.url}/v1`);
  const key = await empty.createKey('free');
  // The list, the new animal, the list again, and its second page.
  expect(await runCode(here, { ANIMAL_STORE_KEY: key }, 'module')).toBe(
    'Mia, Bruno | Mia, Bruno, Rex | 56 requests left\n',
  );
});
