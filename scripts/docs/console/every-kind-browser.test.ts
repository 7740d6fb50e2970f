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
  const contract = everyKind();
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
    const page = await tab.turnTo(`/docs/console.html#/Notes/${id}`);
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
    const page = await open('updateNote');
    await page.getByLabel('API key').fill('as_test_mine');
    await page.getByPlaceholder('If-Match').fill('"v1"');
    const { status, received } = await send(page);
    expect([status, received?.method, received?.url]).toEqual(['200', 'PATCH', '/notes/1']);
    expect(received?.headers).toMatchObject({
      authorization: 'Bearer as_test_mine',
      'if-match': '"v1"',
      'content-type': 'application/merge-patch+json',
    });
    expect(JSON.parse(String(received?.body))).toEqual({ title: 'Grey heron', observer: null });
  });

  test('sends a DELETE, and shows a response without a body', async () => {
    const { status, received } = await send(await open('deleteNote'));
    expect([status, received?.method, received?.body.length]).toEqual(['204', 'DELETE', 0]);
  });

  test('sends a chosen file unchanged', async () => {
    const page = await open('setPhoto');
    await page.locator('input[type=file]').setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: bytes });
    const { status, received } = await send(page);
    expect([status, received?.method, received?.headers['content-type']]).toEqual(['204', 'PUT', 'image/png']);
    expect(received?.body).toEqual(bytes);
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('shows a picture, which the content security policy of the page allows', async () => {
    const page = await open('getPhoto');
    expect((await send(page)).status).toBe('200');
    await page.waitForFunction(() => {
      const picture = document.querySelector('.live-responses-table img');
      return picture instanceof HTMLImageElement && picture.naturalWidth === 1;
    });
  });

  test('sends arrays and headers', async () => {
    const page = await open('listNotes');
    for (const [place, value] of ['bird', 'big'].entries()) {
      await page.getByRole('button', { name: /^Add/ }).click();
      await page.locator('.json-schema-form-item input').nth(place).fill(value);
    }
    await page.getByPlaceholder('X-Depth').fill('2');
    const { status, received } = await send(page);
    expect(status).toBe('200');
    expect(received?.url).toContain('tag=bird&tag=big');
    expect(received?.headers).toMatchObject({ 'x-depth': '2' });
  });

  test('needs no key for a public operation', async () => {
    const { status, received } = await send(await open('getAbout'));
    expect(status).toBe('200');
    expect(received?.headers).not.toHaveProperty('authorization');
  });

  test('sends text unchanged', async () => {
    const { received } = await send(await open('setText'));
    expect([received?.headers['content-type'], String(received?.body)]).toEqual(['text/plain', 'Seen at dusk.']);
  });

  test.each([
    ['exportTable', 'Käthe'],
    ['watchNotes', 'Heron'],
  ])('shows the text of %s', async (id, text) => {
    const page = await open(id);
    expect((await send(page)).status).toBe('200');
    await page.locator('.live-responses-table').getByText(text).first().waitFor();
  });

  test('offers no webhook, had no errors, and asked no other host', async () => {
    const { page } = tab;
    expect(await page.getByText('Delete a note').count()).toBe(1);
    expect(await page.getByText('A note was added').count()).toBe(0);
    expect(notes).toEqual([]);
  });
});
