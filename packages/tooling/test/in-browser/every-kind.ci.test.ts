import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { findChromium, launchChromium } from '../../../testing/src/chromium.ts';
import { leaveOut } from '../../../testing/src/left-out.ts';
import { assets } from '../../src/docs/layout.ts';
import { operationFiles } from '../../src/docs/operations/operation-files.ts';
import { errorFiles } from '../../src/docs/site.ts';
import { type Received, startContractHost } from '../samples/contract-host.ts';
import { secondContract } from '../second-contract-fixture.ts';
import { createReader, findings, type Notes, sidewaysIn, type Tab } from './reader.ts';

const executable = findChromium();
if (executable === undefined)
  leaveOut('try-it for every kind of operation', 'install Chromium (apt-get install chromium)');
const inBrowser = executable === undefined ? describe.skip : describe;

inBrowser('try-it in Chromium, for a contract of every kind', () => {
  const contract = secondContract();
  const files = [...operationFiles(contract), ...errorFiles(contract)];
  const notes: Notes = [];
  let host: Awaited<ReturnType<typeof startContractHost>>;
  let browser: Browser;
  let tab: Tab;

  beforeAll(async () => {
    host = await startContractHost(contract, [...assets(), ...files]);
    browser = await launchChromium(executable ?? '');
    tab = await createReader(browser, host.url, notes).openTab({ width: 1280, colours: 'light' });
  });

  afterAll(async () => {
    await browser?.close();
    await host?.stop();
  });

  async function open(id: string): Promise<Page> {
    const page = await tab.turnTo(`/docs/operations/${id}.html`);
    await page.getByText('Try it', { exact: true }).click();
    return page;
  }

  async function send(page: Page): Promise<{ status: string; received: Received | undefined }> {
    host.received.splice(0);
    const confirmed = page.locator('.try [type=checkbox]');
    if ((await confirmed.count()) > 0) await confirmed.check();
    await page.getByRole('button', { name: 'Send request' }).click();
    const status = String(await page.locator('.try-status').textContent());
    return { status: status.slice(0, 3), received: host.received[0] };
  }

  test('sends a PATCH with If-Match and a merge patch', async () => {
    const page = await open('updateNote');
    await page.getByLabel('API key').fill('my_test_mine');
    await page.getByLabel('If-Match').fill('"v1"');
    const { status, received } = await send(page);
    expect([status, received?.method, received?.url]).toEqual(['200', 'PATCH', '/notes/1']);
    expect(received?.headers).toMatchObject({
      authorization: 'Bearer my_test_mine',
      'if-match': '"v1"',
      'content-type': 'application/merge-patch+json',
    });
    expect(JSON.parse(String(received?.body))).toEqual({ title: 'Grey heron', observer: null });
  });

  test('sends a DELETE, and shows a response without a body', async () => {
    const page = await open('deleteNote');
    const { status, received } = await send(page);
    expect([status, received?.method, received?.body.length]).toEqual(['204', 'DELETE', 0]);
  });

  test('a body that is a file has no form, and the page no violations', async () => {
    const page = await tab.turnTo('/docs/operations/setPhoto.html');
    expect(await page.locator('.try').count()).toBe(0);
    expect(await findings(page)).toEqual([]);
  });

  test('sends lists and headers', async () => {
    const page = await open('listNotes');
    await page.getByLabel('tag').fill('bird\nbig');
    await page.getByLabel('X-Region').selectOption('south');
    await page.getByLabel('X-Depth').fill('2');
    const { status, received } = await send(page);
    expect(status).toBe('200');
    expect(received?.url).toContain('tag=bird&tag=big');
    expect(received?.headers).toMatchObject({ 'x-depth': '2', 'x-region': 'south' });
  });

  test('no page scrolls sideways', async () => {
    const wide = [];
    for (const { path } of files.filter((file) => file.path.endsWith('.html'))) {
      const page = await tab.turnTo(`/docs/${path}`);
      for (const width of [320, 768, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        wide.push(...(await sidewaysIn(page)).map((problem) => `${path} at ${width}: ${problem}`));
      }
    }
    expect(wide).toEqual([]);
  });

  test('needs no key for a public operation', async () => {
    const page = await open('getAbout');
    expect(await page.getByLabel('API key').count()).toBe(0);
    const { status, received } = await send(page);
    expect(status).toBe('200');
    expect(received?.headers).not.toHaveProperty('authorization');
  });

  test.each([
    ['exportTable', 'Käthe'],
    ['watchNotes', 'Heron'],
  ])('shows the text of %s', async (id, text) => {
    const page = await open(id);
    expect((await send(page)).status).toBe('200');
    await page.locator('.try-result pre', { hasText: text }).waitFor();
  });

  test('had no errors, and made no requests to other hosts', () => {
    expect(notes).toEqual([]);
  });
});
