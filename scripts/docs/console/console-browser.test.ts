import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startTestServer, type TestServer } from '../../../packages/server/test/harness.ts';
import { bundleContract } from '../../generate/bundle.ts';
import { findChromium, launchChromium } from '../../testing/chromium.ts';
import { leaveOut } from '../../testing/left-out.ts';
import { writeSite } from '../delivery/write-site.ts';
import { buildSite } from '../site.ts';

const executable = findChromium();
if (executable === undefined) leaveOut('console in a browser', 'install Chromium (apt-get install chromium)');
const inBrowser = executable === undefined ? describe.skip : describe;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

inBrowser('the console in Chromium, from the real server', () => {
  const elsewhere: string[] = [];
  const errors: string[] = [];
  let server: TestServer;
  let browser: Browser;

  beforeAll(async () => {
    await writeSite(await buildSite(bundleContract()));
    server = await startTestServer();
    browser = await launchChromium(executable ?? '');
  }, 90_000);

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function open(fragment = '', options: { width?: number; colorScheme?: 'light' | 'dark' } = {}): Promise<Page> {
    const { width = 1280, colorScheme = 'light' } = options;
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    // Less than a test has, so that a failure says what it waited for.
    page.setDefaultTimeout(20_000);
    await page.route('**', async (route) => {
      const address = route.request().url();
      if (address.startsWith(`${server.url}/`)) return route.continue();
      elsewhere.push(address);
      return route.abort();
    });
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${server.url}/docs/console.html${fragment}`);
    return page;
  }

  async function send(page: Page): Promise<string> {
    await page.getByRole('button', { name: 'Execute' }).click();
    return page.locator('.live-responses-table tbody .response-col_status').first().textContent().then(String);
  }

  test('sends a real listPets with the key of the field, and shows the curl line', async () => {
    const name = `Rex ${randomUUID()}`;
    await server.call('createPet', { body: { name, categoryId: 3 } });
    const page = await open('#/Pets/listPets');
    await page.getByLabel('API key').fill(server.key);
    expect(await send(page)).toContain('200');
    await page.locator('.live-responses-table').getByText(name).waitFor();
    await page.getByText(`${server.url}/v1/pets?limit=20`).first().waitFor();
    expect(await page.locator('.request-snippets').textContent()).toContain(`Bearer ${server.key}`);
    await page.close();
  });

  test.each([
    { width: 1280, colorScheme: 'light' },
    { width: 390, colorScheme: 'dark' },
  ] as const)(
    'adds an animal as it stands in the example, fits, and has nothing serious for axe: %j',
    async (options) => {
      const page = await open('#/Pets/createPet', options);
      await page.getByLabel('API key').fill(server.key);
      expect(await send(page)).toContain('201');
      const pets = await server.call('listPets', { query: { limit: 100 } });
      expect(pets.body.at(-1)).toMatchObject({ name: 'Rex', categoryId: 3, status: 'available' });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(options.width);
      // The policy lets no script in from outside, this one comes through the debugger.
      await page.evaluate(axe);
      expect(seriousOf(await page.evaluate('axe.run({ resultTypes: ["violations"] })'))).toEqual([]);
      await page.close();
    },
  );

  test('keeps the key nowhere: not in storage, cookies or address; a reload and an empty field forget it', async () => {
    const page = await open('#/Pets/listPets');
    const field = page.getByLabel('API key');
    await field.fill(server.key);
    await send(page);
    const kept = () =>
      page.evaluate(async () => ({
        local: { ...localStorage },
        session: { ...sessionStorage },
        cookie: document.cookie,
        databases: await indexedDB.databases(),
        caches: await caches.keys(),
        address: location.href,
      }));
    const nothing = { local: {}, session: {}, cookie: '', databases: [], caches: [], address: page.url() };
    expect(await kept()).toEqual(nothing);
    expect(page.url()).not.toContain(server.key);
    await page.reload();
    await page.getByRole('button', { name: 'Execute' }).waitFor();
    expect([await field.inputValue(), await kept()]).toEqual(['', nothing]);
    await field.fill(server.key);
    await field.fill('');
    const request = page.waitForRequest(`${server.url}/v1/pets**`);
    await page.getByRole('button', { name: 'Execute' }).click();
    expect((await request).headers()).not.toHaveProperty('authorization');
    await page.close();
    // The 401 is what was asked for.
    expect(errors.splice(0)).toEqual([expect.stringContaining('401')]);
  });

  test('can be reached and sent by keyboard alone', async () => {
    const page = await open('#/Pets/listPets');
    await page.getByRole('button', { name: 'Execute' }).waitFor();
    await page.getByLabel('API key').focus();
    await page.keyboard.insertText(server.key);
    for (let step = 0; step < 30; step += 1) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate(() => document.activeElement?.textContent)) === 'Execute') break;
    }
    await page.keyboard.press('Enter');
    await page.locator('.live-responses-table tbody .response-col_status', { hasText: '200' }).waitFor();
    await page.close();
  });

  test('asked no other host for anything on the way, and had no errors', () => {
    expect({ elsewhere, errors }).toEqual({ elsewhere: [], errors: [] });
  });
});

type AxeResult = { violations: { id: string; impact: string; nodes: { target: string[] }[] }[] };

function seriousOf(found: unknown): string[] {
  if (!isAxeResult(found)) throw new Error('axe gave no result.');
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

function isAxeResult(value: unknown): value is AxeResult {
  return typeof value === 'object' && value !== null && 'violations' in value && Array.isArray(value.violations);
}
