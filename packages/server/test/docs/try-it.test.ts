import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { findChromium, launchChromium } from '../../../testing/src/chromium.ts';
import { leaveOut } from '../../../testing/src/left-out.ts';
import { areDocsOld } from '../../../tooling/src/docs/build-old-docs.ts';
import { buildSite } from '../../../tooling/src/docs/site.ts';
import { writeSite } from '../../../tooling/src/docs/write-site.ts';
import { createReader, type Notes, type Tab, type View } from '../../../tooling/test/in-browser/reader.ts';
import { startTestServer, type TestServer } from '../harness.ts';

const executable = findChromium();
if (executable === undefined) leaveOut('try-it in a browser', 'install Chromium (apt-get install chromium)');
const inBrowser = executable === undefined ? describe.skip : describe;

inBrowser('try-it in Chromium, from the real server', () => {
  const notes: Notes = [];
  let server: TestServer;
  let browser: Browser;
  let tab: Tab;
  const narrow: View = { width: 390, colours: 'dark' };

  beforeAll(async () => {
    // npm test has built the docs.
    if (areDocsOld()) writeSite(buildSite());
    server = await startTestServer();
    browser = await launchChromium(executable ?? '');
    tab = await createReader(browser, server.url, notes).openTab(narrow);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function open(id: string): Promise<Page> {
    const page = await tab.turnTo(`/docs/operations/${id}.html`);
    await page.getByText('Try it', { exact: true }).click();
    return page;
  }

  async function send(page: Page): Promise<string> {
    await page.getByRole('button', { name: 'Send request' }).click();
    return String(await page.locator('.try-status').textContent());
  }

  test('sends a real listPets with the key of the field; the samples call the server that sent the page', async () => {
    const name = `Rex ${randomUUID()}`;
    await server.call('createPet', { body: { name, categoryId: 3 } });
    const page = await open('listPets');
    await page.getByLabel('API key').fill(server.key);
    await page.getByLabel('limit').fill('100');
    expect(await send(page)).toContain('200 OK');
    await page.locator('.try-result').getByText(name).waitFor();
    expect(await page.locator('.try-result').textContent()).toContain('x-ratelimit-remaining: ');
    expect(await page.locator('.tabs pre').first().textContent()).toContain(`${server.url}/v1/pets`);
  });

  test('a DELETE is sent only after it is confirmed', async () => {
    const { body } = await server.call('createPet', { body: { name: 'Gone', categoryId: 1 } });
    const page = await open('deletePet');
    await page.getByLabel('API key').fill(server.key);
    await page.getByLabel('petId (required)').fill(String('id' in body ? body.id : ''));
    await page.getByRole('button', { name: 'Send request' }).click();
    expect(await page.locator('.try-result').textContent()).toBe('');
    await page.getByLabel(/Permanently delete it/).check();
    expect(await send(page)).toContain('204');
  });

  test('stores the key nowhere: not in storage, cookies or URL; a reload forgets it', async () => {
    const page = await open('listPets');
    await page.getByLabel('API key').fill(server.key);
    await send(page);
    const stored = () =>
      page.evaluate(async () => ({
        storage: JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
        cookie: document.cookie,
        databases: await indexedDB.databases(),
        caches: await caches.keys(),
        url: location.href,
      }));
    expect(JSON.stringify(await stored())).not.toContain(server.key);
    expect(await stored()).toMatchObject({ cookie: '', databases: [], caches: [] });
    await page.reload();
    await page.getByText('Try it', { exact: true }).click();
    expect(await page.getByLabel('API key').inputValue()).toBe('');
  });

  test('made no requests to other hosts, and had no errors', () => {
    expect(notes).toEqual([]);
  });
});
