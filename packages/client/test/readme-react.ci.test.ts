import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { transform } from '@swc/core';
import { startTestServer } from '../../server/test/harness.ts';
import { runCode } from './run-code.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

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
  await using server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  for (const name of ['Mia', 'Bruno']) await server.call('createPet', { body: { name, categoryId: 3 } });
  const [, block = ''] = /```tsx\n(.+?)```/s.exec(readme) ?? [];
  const { code } = await transform(`${page}\n${block}\n${visit}`, {
    jsc: {
      parser: { syntax: 'typescript', tsx: true },
      transform: { react: { runtime: 'automatic' } },
      target: 'es2024',
    },
  });
  const here = code.replaceAll('http://127.0.0.1:3000/v1', `${server.url}/v1`);
  const key = await server.createKey('free');
  // The list, the new animal, the list again, and its second page.
  expect(await runCode(here, { ANIMAL_STORE_KEY: key }, 'module')).toBe(
    'Mia, Bruno | Mia, Bruno, Rex | 56 requests left\n',
  );
});
