import { contractJson } from '@animal-store/contract/document';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { findChromium, launchChromium } from '../../testing/chromium.ts';
import { leaveOut } from '../../testing/left-out.ts';
import { everyKind } from '../every-kind-fixture.ts';
import { seriousFindings } from '../in-browser/accessibility.ts';
import { createReader, type Notes, type Tab } from '../in-browser/reader.ts';
import { bytes, type Received, startContractHost } from '../samples/testing/contract-host.ts';
import { assets } from '../shell/assets.ts';
import { consoleFiles } from './console-files.ts';

const executable = findChromium();
if (executable === undefined)
  leaveOut('every kind of operation in the console', 'install Chromium (apt-get install chromium)');
const inBrowser = executable === undefined ? describe.skip : describe;

inBrowser('the console in Chromium, for a contract of every kind', () => {
  const contract = everyKind(JSON.parse(contractJson), 'https://fixture.example/v1');
  const notes: Notes = [];
  let host: Awaited<ReturnType<typeof startContractHost>>;
  let browser: Browser;
  let tab: Tab;

  beforeAll(async () => {
    const files = [...assets(), ...consoleFiles(contract), { path: 'openapi.json', content: JSON.stringify(contract) }];
    host = await startContractHost(contract, files);
    browser = await launchChromium(executable ?? '');
    tab = await createReader(browser, host.url, notes).openTab({ width: 1280, colours: 'light' });
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    host?.stop();
  });

  async function open(id: string): Promise<Page> {
    const page = await tab.turnTo(`/docs/console.html#/Pets/${id}`);
    await page.getByRole('button', { name: 'Execute' }).waitFor();
    return page;
  }

  async function send(page: Page): Promise<{ status: string; received: Received | undefined }> {
    host.received.splice(0);
    await page.getByRole('button', { name: 'Execute' }).click();
    const status = await page.locator('.live-responses-table tbody .response-col_status').first().textContent();
    return { status: String(status).trim(), received: host.received[0] };
  }

  test('sends a PATCH with If-Match and a merge patch', async () => {
    const page = await open('patchProfile');
    await page.getByLabel('API key').fill('as_test_mine');
    await page.getByPlaceholder('If-Match').fill('"v1"');
    const { status, received } = await send(page);
    expect(status).toContain('200');
    expect(received).toMatchObject({
      method: 'PATCH',
      url: '/profiles/1',
      headers: {
        authorization: 'Bearer as_test_mine',
        'if-match': '"v1"',
        'content-type': 'application/merge-patch+json',
      },
    });
    expect(JSON.parse(String(received?.body))).toEqual({ name: 'Mia', tags: ['old', true, null], status: null });
  });

  test('sends a DELETE, and shows a response without a body', async () => {
    const { status, received } = await send(await open('deleteProfile'));
    expect([status, received?.method, received?.body.length]).toEqual(['204', 'DELETE', 0]);
  });

  test('sends a chosen file as it is', async () => {
    const page = await open('putPhoto');
    await page.locator('input[type=file]').setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: bytes });
    const { status, received } = await send(page);
    expect([status, received?.method, received?.headers['content-type']]).toEqual(['204', 'PUT', 'image/png']);
    expect(received?.body).toEqual(bytes);
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('shows a binary response as a picture, which the policy of the page lets pass', async () => {
    const page = await open('getPhoto');
    expect((await send(page)).status).toContain('200');
    await page.waitForFunction(() => {
      const picture = document.querySelector('.live-responses-table img');
      return picture instanceof HTMLImageElement && picture.naturalWidth === 1;
    });
  });

  test('sends arrays and required headers, and needs no key for a public operation', async () => {
    const page = await open('findShops');
    for (const [place, value] of ['1', '2'].entries()) {
      await page.getByRole('button', { name: /^Add/ }).click();
      await page.locator('.json-schema-form-item input').nth(place).fill(value);
    }
    const { status, received } = await send(page);
    expect(status).toContain('200');
    expect(received?.url).toBe('/shops?id=1&id=2');
    expect(received?.headers).toMatchObject({ 'x-region': 'north west' });
    expect(received?.headers).not.toHaveProperty('authorization');
  });

  test('sends a text as it is, and shows one', async () => {
    const page = await open('createNote');
    const { status, received } = await send(page);
    expect([status, received?.headers['content-type']]).toEqual(['201', 'text/plain']);
    expect(String(received?.body)).toBe('It\'s "Käthe"\nand 2 more');
    await page.locator('.live-responses-table').getByText('Käthe 1').first().waitFor();
  });

  test.each(['exportPets', 'streamPets', 'watchChanges'])('shows what %s streams', async (id) => {
    const page = await open(id);
    expect((await send(page)).status).toContain('200');
    await page.locator('.live-responses-table').getByText('Käthe').first().waitFor();
  });

  test('offers no webhook, had no errors, and asked no other host', async () => {
    const page = await open('getPhoto');
    expect(await page.getByText('An animal was sold').count()).toBe(0);
    expect(notes).toEqual([]);
  });
});
