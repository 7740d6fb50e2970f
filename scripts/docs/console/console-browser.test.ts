import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startTestServer, type TestServer } from '../../../packages/server/test/harness.ts';
import { bundleContract } from '../../generate/bundle.ts';
import { findChromium, launchChromium } from '../../testing/chromium.ts';
import { leaveOut } from '../../testing/left-out.ts';
import { areDocsOld } from '../are-docs-old.ts';
import { writeSite } from '../delivery/write-site.ts';
import { seriousFindings } from '../in-browser/accessibility.ts';
import { createReader, type Notes, type Tab, type View } from '../in-browser/reader.ts';
import { buildSite } from '../site.ts';

const executable = findChromium();
if (executable === undefined) leaveOut('console in a browser', 'install Chromium (apt-get install chromium)');
const inBrowser = executable === undefined ? describe.skip : describe;

inBrowser('the console in Chromium, from the real server', () => {
  const notes: Notes = [];
  let server: TestServer;
  let browser: Browser;
  const wide: View = { width: 1280, colours: 'light' };
  const tabs = new Map<View, Tab>();

  beforeAll(async () => {
    // npm test has built them.
    if (areDocsOld()) await writeSite(await buildSite(bundleContract()));
    server = await startTestServer();
    browser = await launchChromium(executable ?? '');
  }, 90_000);

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function open(fragment: string, view = wide): Promise<Page> {
    const tab = tabs.get(view) ?? (await createReader(browser, server.url, notes).openTab(view));
    tabs.set(view, tab);
    return tab.turnTo(`/docs/console.html${fragment}`);
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
  });

  test.each<View>([wide, { width: 390, colours: 'dark' }])(
    'adds an animal as it stands in the example, fits, and has nothing serious for axe: %j',
    async (view) => {
      const page = await open('#/Pets/createPet', view);
      await page.getByLabel('API key').fill(server.key);
      expect(await send(page)).toContain('201');
      const pets = await server.call('listPets', { query: { limit: 100 } });
      expect(pets.body.at(-1)).toMatchObject({ name: 'Rex', categoryId: 3, status: 'available' });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(view.width);
      expect(await seriousFindings(page)).toEqual([]);
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
    await page.locator('.live-responses-table tbody .response-col_status', { hasText: '401' }).waitFor();
    // The 401 is what was asked for.
    expect(notes.splice(0)).toEqual([expect.stringContaining('401')]);
  });

  test('a link to an operation shows its heading, below the header of the page', async () => {
    const page = await open('#/Pets/listPets');
    const operation = page.locator('#operations-Pets-listPets');
    await operation.getByRole('button', { name: 'Execute' }).waitFor();
    const isRightBelow = () => {
      const bottom = document.querySelector('.site-header')?.getBoundingClientRect().bottom ?? 0;
      const top = document.querySelector('#operations-Pets-listPets')?.getBoundingClientRect().top ?? 0;
      return bottom > 0 && top >= bottom && top < bottom + 100;
    };
    await page.waitForFunction(isRightBelow);
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
  });

  test('asked no other host for anything on the way, and had no errors', () => {
    expect(notes).toEqual([]);
  });
});
