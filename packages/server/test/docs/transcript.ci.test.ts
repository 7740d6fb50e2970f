import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { findChromium, launchChromium } from '../../../testing/src/chromium.ts';
import { leaveOut } from '../../../testing/src/left-out.ts';
import { areDocsOld } from '../../../tooling/src/docs/are-docs-old.ts';
import { writeSite } from '../../../tooling/src/docs/delivery/write-site.ts';
import { buildSite, staticOrigin } from '../../../tooling/src/docs/site.ts';
import { bundleContract } from '../../../tooling/src/effective/bundle.ts';
import { findings } from '../../../tooling/test/in-browser/accessibility.ts';
import { createReader, type Notes } from '../../../tooling/test/in-browser/reader.ts';
import { startTestServer, type TestServer } from '../harness.ts';

const executable = findChromium();
if (executable === undefined) leaveOut('the transcript in a browser', 'install Chromium (apt-get install chromium)');
const inBrowser = executable === undefined ? describe.skip : describe;

inBrowser('the page of the transcript in Chromium, from the real server', () => {
  const notes: Notes = [];
  let server: TestServer;
  let browser: Browser;

  beforeAll(async () => {
    // npm test has built the docs.
    if (areDocsOld()) await writeSite(await buildSite(bundleContract()), staticOrigin(bundleContract()));
    server = await startTestServer({ databaseUrl: 'sqlite::memory:', config: { sandboxes: true } });
    browser = await launchChromium(executable ?? '');
  }, 90_000);

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function show(on = server, width = 320): Promise<Page> {
    const page = await createReader(browser, on.url, notes).open('/docs/guides/transcript.html', {
      width,
      colours: 'dark',
    });
    await page.locator('.try.is-started').waitFor();
    await page.getByLabel('API key').fill(on.key);
    await page.getByRole('button', { name: 'Show my requests' }).click();
    return page;
  }

  test('shows each request with its response, the rule that refused it, and the same call in each language', async () => {
    const name = '<img src=x onerror=alert(1)>';
    await server.call('createPet', { body: { name, categoryId: 3 }, headers: { 'Idempotency-Key': 'recorded-key' } });
    const headers = { Authorization: `Bearer ${server.key}` };
    await fetch(`${server.url}/v1/pets?limit=2&id=1&id=2`, { headers });
    await server.call('createOrder', { body: { petId: 2 } });
    const page = await show();
    await page.getByText('3 requests, the newest first.').waitFor();
    const [order, list, pet] = await page.locator('.transcript-entry').all();

    await order?.locator('summary').click();
    await order?.getByRole('link', { name: 'pet_not_available' }).waitFor();
    expect(await order?.getByRole('link', { name: 'pet_not_available' }).getAttribute('href')).toBe(
      '../errors.html#pet_not_available',
    );

    await pet?.locator('summary').click();
    await pet?.getByRole('tab', { name: 'Go' }).click();
    await list?.locator('summary').click();
    await list?.getByRole('tab', { name: 'TypeScript', selected: false }).waitFor();
    const codes = async (of = pet) => (await of?.locator('.tabs section code').allTextContents()) ?? [];
    expect((await codes()).filter((code) => !code.includes('<img src=x onerror=alert(1)>'))).toEqual([]);
    expect(await codes()).toHaveLength(5);
    // A recorded key would return the old response.
    expect((await codes()).filter((code) => code.includes('recorded-key'))).toEqual([]);
    const [curl = '', typescript = ''] = await codes(list);
    expect(curl).toContain(`'${server.url}/v1/pets?limit=2&id=1&id=2'`);
    expect(typescript).toContain('query: { limit: 2, id: [1, 2] }');
    expect(await page.locator('.transcript-entries img').count()).toBe(0);
    expect(await page.locator('.transcript-entries').textContent()).not.toContain(server.key);

    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    expect(await findings(page)).toEqual([]);
    await page.context().close();
  }, 60_000);

  test('copies and saves it as Markdown, with the same calls in the selected language', async () => {
    const page = await show();
    const last = page.locator('.transcript-entry').first();
    await last.locator('summary').click();
    await last.getByRole('tab', { name: 'Go' }).click();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy these requests as Markdown' }).click();
    await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
    const markdown = await page.evaluate(() => navigator.clipboard.readText());
    expect(markdown).toContain('409 `pet_not_available`');
    expect(markdown.match(/^The same call:\n\n```go\npackage main$/gm)).toHaveLength(3);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download these requests' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('transcript.md');
    await page.context().close();
  });

  test('says so if the server has no sandboxes', async () => {
    await using without = await startTestServer({ databaseUrl: 'sqlite::memory:' });
    const page = await show(without);
    await page.getByText('This server has no sandboxes.').waitFor();
    await page.getByRole('link', { name: 'What sandbox_not_found means and what to do about it' }).waitFor();
    expect(notes.splice(0)).toEqual([expect.stringContaining('404')]);
    await page.context().close();
  });

  test('made no requests to other hosts, and had no errors', () => {
    expect(notes).toEqual([]);
  });
});
