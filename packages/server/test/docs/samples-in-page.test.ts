import { contractJson } from '@animal-store/contract/document';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { findChromium, launchChromium } from '../../../testing/src/chromium.ts';
import { leaveOut } from '../../../testing/src/left-out.ts';
import { createReader, type Notes } from '../../../tooling/src/docs/in-browser/reader.ts';
import { startStaticHost } from '../../../tooling/src/docs/in-browser/static-host.ts';
import { languages, samplesOf } from '../../../tooling/src/docs/samples/samples.ts';
import { buildSite } from '../../../tooling/src/docs/site.ts';

const executable = findChromium();
if (executable === undefined) leaveOut('samples in a browser', 'install Chromium (apt-get install chromium)');
const inBrowser = executable === undefined ? describe.skip : describe;

inBrowser('the samples in the page of an operation', () => {
  const samples = samplesOf(JSON.parse(contractJson));
  const notes: Notes = [];
  let host: Awaited<ReturnType<typeof startStaticHost>>;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    host = await startStaticHost(await buildSite({ json: contractJson }), '/docs/');
    browser = await launchChromium(executable ?? '');
    const { open } = createReader(browser, host.origin, notes);
    page = await open('/docs/operations/createPet.html', { colours: 'light', width: 1280 });
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    host?.stop();
  });

  function sourceOf(id: string, language: string): string {
    return samples.get(id)?.find(({ lang }) => lang === language)?.source ?? 'no sample';
  }

  test('are shown for the operation in the chosen language', async () => {
    for (const [language, { label }] of Object.entries(languages)) {
      await page.getByRole('tab', { name: label, exact: true }).click();
      const source = sourceOf('createPet', language).trim();
      const shown = await page.locator('.operation-side pre:visible').first().textContent();
      expect(shown?.trim()).toBe(source);
    }
  });

  test('are coloured, which the policy of the page allows', async () => {
    const colours = () =>
      page.evaluate(() => {
        const tokens = [...document.querySelectorAll('.operation-side pre [class^="hljs"]')];
        return new Set(tokens.map((token) => getComputedStyle(token).color)).size;
      });
    expect(await colours()).toBeGreaterThan(1);
  });

  test('made no requests to other hosts, and had no errors', () => {
    expect(notes).toEqual([]);
  });
});
