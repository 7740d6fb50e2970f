import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import {
  type Browser,
  type BrowserContext,
  findChromium,
  launchChromium,
  type Page,
} from '../../testing/src/chromium.ts';
import { leaveOut } from '../../testing/src/left-out.ts';
import type { Listening } from '../../testing/src/listen.ts';
import { createAnimalStore, unwrap } from '../src/index.ts';
import { servePage } from './pages.ts';

const chromium = findChromium();
if (chromium === undefined) leaveOut('the tabs of a browser', 'install Chromium (apt-get install chromium)');

/** A page whose `query(count)` calls the API that often at once, and resolves to the codes of the errors, or to `ok`. */
const program = `
import { createAnimalStore } from './src/index.ts';
const { url, key, queries } = Object.fromEntries(new URLSearchParams(location.search));
const store = createAnimalStore({ apiKey: key, baseUrl: url });
globalThis.query = (count, options) =>
  Promise.all(Array.from({ length: count }, () => store.GET('/pets', options)))
    .then((results) => results.map(({ error }) => error ? error.code + (error.sent ? '' : ', not sent') : 'ok'));
globalThis.store = store;
if (queries) globalThis.query(Number(queries)).catch(() => {});
`;

/** The server uses the same clock as the browser. */
let server: TestServer;
let clock: NodeJS.Timeout;
let site: Listening;
let browser: Browser;
beforeAll(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:', now: Date.now() });
  clock = setInterval(() => {
    server.clock.now = Date.now();
  }, 10);
  site = await servePage(program);
  if (chromium !== undefined) browser = await launchChromium(chromium);
});
afterAll(async () => {
  clearInterval(clock);
  await browser?.close();
  await site.stop();
  await server.stop();
});

/** The statuses of the responses that the tabs of a context receive from the API. */
function watch(context: BrowserContext): number[] {
  const statuses: number[] = [];
  context.on('response', (response) => {
    if (response.url().startsWith(server.url)) statuses.push(response.status());
  });
  return statuses;
}

const addressOf = (key: string, queries = '') =>
  `${site.origin}/?${new URLSearchParams({ url: `${server.url}/v1`, key, queries })}`;

async function openTab(context: BrowserContext, key: string): Promise<Page> {
  const tab = await context.newPage();
  await tab.goto(addressOf(key));
  return tab;
}

const query = (tab: Page, count: number, options: object = {}): Promise<string[]> =>
  tab.evaluate(`query(${count}, ${JSON.stringify(options)})`);

/**
 * A key of the free plan with that many requests left in this minute, which lasts for at least that many more
 * milliseconds.
 */
async function keyWith(left: number, minuteLasts: number): Promise<string> {
  const rest = 60_000 - (Date.now() % 60_000);
  if (rest < minuteLasts) await setTimeout(rest + 100);
  const key = await server.createKey('free');
  const store = createAnimalStore({ apiKey: key, baseUrl: `${server.url}/v1` });
  await Promise.all(Array.from({ length: 60 - left }, () => unwrap(store.GET('/pets'))));
  return key;
}

const never = { maxRetryAfter: 0 };
const unsent = (count: number) => Array.from({ length: count }, () => 'rate_limited, not sent');

(chromium === undefined ? describe.skip : describe)('in Chromium', () => {
  test('the tabs of an origin, including reloaded and new ones, cost one refusal together, and continue when the window ends', async () => {
    const key = await keyWith(0, 20_000);
    const context = await browser.newContext();
    const statuses = watch(context);
    const [one, two] = [await openTab(context, key), await openTab(context, key)];
    for (const code of await query(one, 6, never)) expect(code).toMatch(/^rate_limited/);
    // One; six if its response takes longer than 50 ms, because others are sent then.
    const refusals = [...statuses];
    expect(refusals.length).toBeLessThanOrEqual(6);
    expect(await query(two, 6, never)).toEqual(unsent(6));
    await one.reload();
    expect(await query(one, 6, never)).toEqual(unsent(6));
    const three = await openTab(context, key);
    expect(await query(three, 6, never)).toEqual(unsent(6));
    expect([statuses, new Set(statuses)]).toEqual([refusals, new Set([429])]);
    // Another key of the same pages.
    expect(await query(await openTab(context, server.key), 1)).toEqual(['ok']);
    statuses.length = 0;
    expect(await Promise.all([one, two, three].map((tab) => query(tab, 6)))).toEqual(
      Array(3).fill(Array(6).fill('ok')),
    );
    expect(statuses).toEqual(Array(18).fill(200));
    await context.close();
  }, 180_000);

  test('`resume()` in one tab lifts a refusal in all of them, and in new and reloaded ones', async () => {
    const limits = { perMinute: 1, perDay: 1 };
    const { secret: key, key: record } = await server.keys.create({ plan: 'enterprise', ...limits });
    const context = await browser.newContext();
    const [one, two] = [await openTab(context, key), await openTab(context, key)];
    expect(await query(one, 1)).toEqual(['ok']);
    expect(await query(one, 1, never)).toEqual(['rate_limited']);
    expect([await query(two, 1, never), await query(await openTab(context, key), 1, never)]).toEqual([
      unsent(1),
      unsent(1),
    ]);
    await server.keys.set(record.id, { perMinute: 1_000, perDay: 1_000 });
    await one.evaluate('store.resume()');
    expect(await query(two, 1, never)).toEqual(['ok']);
    await one.reload();
    expect([await query(one, 1, never), await query(await openTab(context, key), 1, never)]).toEqual([['ok'], ['ok']]);
    await context.close();
  });

  test('a tab sends nothing after another one has used up the quota', async () => {
    const key = await keyWith(1, 10_000);
    const context = await browser.newContext();
    const statuses = watch(context);
    const [one, two] = [await openTab(context, key), await openTab(context, key)];
    expect(await query(one, 1)).toEqual(['ok']);
    expect(await query(two, 6, never)).toEqual(unsent(6));
    expect(statuses).toEqual([200]);
    await context.close();
  }, 120_000);

  test('five tabs that are loaded at once, four times, on a used-up key start no ban', async () => {
    const key = await keyWith(0, 30_000);
    const context = await browser.newContext();
    const statuses = watch(context);
    const tabs = await Promise.all(Array.from({ length: 5 }, () => context.newPage()));
    for (let reload = 0; reload < 4; reload += 1) {
      await Promise.all(tabs.map((tab) => tab.goto(addressOf(key, '6'))));
      await setTimeout(2_500);
    }
    await context.close();
    // Most of them in the first round, in which the tabs do not know of each other yet.
    expect(statuses.filter((status) => status === 429).length).toBeLessThanOrEqual(30);
    expect(server.log()).not.toContain('key_banned');
  }, 120_000);

  test('a sandboxed frame, which has no storage, calls the API', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(site.origin);
    await page.setContent(
      `<iframe sandbox="allow-scripts" src="${addressOf(await server.createKey('free')).replaceAll('&', '&amp;')}"></iframe>`,
    );
    const frame = await (await page.waitForSelector('iframe')).contentFrame();
    await frame?.waitForFunction('globalThis.query', undefined, { timeout: 60_000 });
    expect(await frame?.evaluate('query(2)')).toEqual(['ok', 'ok']);
    await context.close();
  });
});
