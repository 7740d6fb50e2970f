import { createAnimalStore } from '@animal-store/client';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Window } from 'happy-dom';
import { act } from 'react';
import { startTestServer, type TestServer } from '../../../packages/server/test/harness.ts';
import { hydratePage } from '../src/hydrate-page.tsx';
import { renderPage } from '../src/page.tsx';

let server: TestServer;
const names = ['Rex', 'Mia', '</script><b>Bo</b>', 'Coco'];
beforeAll(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  for (const name of names) await server.call('createPet', { body: { name, categoryId: 3 } });
});
afterAll(() => server.stop());

/** A client that records its requests. */
function storeOf(sent: string[], apiKey = server.key) {
  return createAnimalStore({
    apiKey,
    baseUrl: `${server.url}/v1`,
    fetch: (request) => {
      sent.push(request.url.replace(`${server.url}/v1`, ''));
      return fetch(request);
    },
  });
}

test('the page has the first animals and the cache, and not the API key', async () => {
  const sent: string[] = [];
  const html = await renderPage(storeOf(sent));
  expect(sent).toEqual(['/pets?limit=3']);
  expect(html).toContain('<li>Rex</li><li>Mia</li>');
  expect(html).not.toContain('<b>Bo</b>');
  expect(html).not.toContain(server.key);
});

test('the browser requests nothing until the visitor loads more', async () => {
  const html = await renderPage(storeOf([]));
  const window = new Window({ url: 'http://127.0.0.1/' });
  const { document } = window;
  Object.assign(globalThis, { window, document, IS_REACT_ACT_ENVIRONMENT: true });
  document.write(html.replace('<script type="module" src="/browser.js"></script>', ''));
  const items = () => [...document.querySelectorAll('li')].map(({ textContent }) => textContent);
  expect(items()).toEqual(names.slice(0, 3));

  const sent: string[] = [];
  const errors: unknown[] = [];
  const { error } = console;
  console.error = (...parts) => errors.push(parts);
  const root = await act(async () => hydratePage(storeOf(sent)));
  console.error = error;
  expect([items(), sent, errors]).toEqual([names.slice(0, 3), [], []]);

  document.querySelector('button')?.click();
  while (items().length < names.length) {
    await act(async () => new Promise((resolve) => setTimeout(resolve, 10)));
  }
  expect(items()).toEqual(names);
  expect(sent).toEqual([expect.stringMatching(/^\/pets\?.*cursor=/)]);
  await act(async () => root.unmount());
  await window.happyDOM.close();
});

test('a refusal of the API makes the page fail, with the reason', async () => {
  await expect(renderPage(storeOf([], 'wrong'))).rejects.toMatchObject({ code: 'api_key_invalid' });
});
