import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { type Browser, findChromium, launchChromium, type Page } from '../../testing/src/chromium.ts';
import { leaveOut } from '../../testing/src/left-out.ts';
import type { Listening } from '../../testing/src/listen.ts';
import { createAnimalStore } from '../src/index.ts';
import { servePage } from './page-server.ts';

const chromium = findChromium();
if (chromium === undefined) leaveOut('intents after a reload', 'install Chromium (apt-get install chromium)');

/**
 * A page that adds animals, and stores the mutations of react-query that are paused, as its documentation describes. `lose()` makes the
 * page lose the next response and the network.
 */
const program = `
import { dehydrate, hydrate, MutationObserver, onlineManager, QueryClient } from '@tanstack/react-query';
import { createAnimalStore } from './src/index.ts';
import { createAnimalStoreQueries } from './src/queries/index.ts';
const { url, key } = Object.fromEntries(new URLSearchParams(location.search));
let isLost = false;
globalThis.lose = () => { isLost = true; };
const store = createAnimalStore({ apiKey: key, baseUrl: url, maxRetries: 0, fetch: async (request) => {
  const response = await fetch(request);
  if (!isLost) return response;
  isLost = false;
  onlineManager.setOnline(false);
  throw new TypeError('Failed to fetch');
} });
const create = createAnimalStoreQueries(store).mutations.pets.create();
const client = new QueryClient();
client.mount();
client.setMutationDefaults(create.mutationKey, create);
hydrate(client, JSON.parse(localStorage.getItem('paused') ?? '{}'));
localStorage.removeItem('paused');
globalThis.resumed = client.resumePausedMutations();
globalThis.add = (name, options) => new MutationObserver(client, { ...create, ...options })
  .mutate({ body: { name, categoryId: 3 } }).then(({ id }) => id, (error) => error.name);
globalThis.paused = async (count) => {
  const all = () => client.getMutationCache().getAll().filter(({ state }) => state.isPaused);
  while (all().length < count) await new Promise((resolve) => setTimeout(resolve, 10));
  localStorage.setItem('paused', JSON.stringify(dehydrate(client)));
};
`;

let server: TestServer;
let site: Listening;
let browser: Browser;
beforeAll(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  site = await servePage(program);
  if (chromium !== undefined) browser = await launchChromium(chromium);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await site.stop();
  await server.stop();
});

async function openTab(): Promise<{ tab: Page; load: () => Promise<unknown> }> {
  const context = await browser.newContext();
  const tab = await context.newPage();
  const address = `${site.origin}/?${new URLSearchParams({ url: `${server.url}/v1`, key: server.key })}`;
  const load = async () => {
    await tab.goto(address);
    return tab.evaluate('resumed');
  };
  await load();
  return { tab, load };
}

async function countOf(name: string): Promise<number> {
  const store = createAnimalStore({ apiKey: server.key, baseUrl: `${server.url}/v1` });
  const { data = [] } = await store.GET('/pets', { params: { query: { limit: 100 } } });
  return data.filter((pet) => pet.name === name).length;
}

(chromium === undefined ? describe.skip : describe)('in Chromium, one animal is added', () => {
  test('if the response is lost, the page is reloaded, and the user clicks three times', async () => {
    const { tab, load } = await openTab();
    await tab.evaluate('lose()');
    expect(await tab.evaluate('add("Reloaded")')).toBe('NetworkError');
    await load();
    const ids = await tab.evaluate('Promise.all([1, 2, 3].map(() => add("Reloaded")))');
    expect([new Set(Object.values(Object(ids))).size, await countOf('Reloaded')]).toEqual([1, 1]);
    // The intent has succeeded, so that the next click is another one.
    await load();
    await tab.evaluate('add("Reloaded")');
    expect(await countOf('Reloaded')).toBe(2);
  }, 60_000);

  test('if the user clicks three times offline, and reloads the page before it is online again', async () => {
    const { tab, load } = await openTab();
    await tab.context().setOffline(true);
    await tab.evaluate('[1, 2, 3].forEach(() => void add("Offline"))');
    await tab.evaluate('paused(3)');
    await tab.goto('about:blank');
    await tab.context().setOffline(false);
    expect(await countOf('Offline')).toBe(0);
    await load();
    expect(await countOf('Offline')).toBe(1);
  }, 60_000);

  test('if react-query pauses a retry, because the network is lost together with the response, and the page is reloaded', async () => {
    const { tab, load } = await openTab();
    await tab.evaluate('lose()');
    await tab.evaluate('void add("Paused", { retry: 1, retryDelay: 0 })');
    await tab.evaluate('paused(1)');
    expect(await countOf('Paused')).toBe(1);
    await load();
    expect(await tab.evaluate('sessionStorage.getItem("intents post /pets")')).toBe('[]');
    expect(await countOf('Paused')).toBe(1);
  }, 60_000);
});
