import { contractJson } from '@animal-store/contract/document';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { findChromium, launchChromium } from '../../testing/chromium.ts';
import { leaveOut } from '../../testing/left-out.ts';
import { createReader, type Notes } from '../in-browser/reader.ts';
import { startStaticHost } from '../in-browser/static-host.ts';
import { buildSite } from '../site.ts';
import { languages, samplesOf } from './samples.ts';

const executable = findChromium();
if (executable === undefined) leaveOut('samples in a browser', 'install Chromium (apt-get install chromium)');
const inBrowser = executable === undefined ? describe.skip : describe;

inBrowser('the samples in the reference', () => {
  const samples = samplesOf(JSON.parse(contractJson));
  const notes: Notes = [];
  let host: Awaited<ReturnType<typeof startStaticHost>>;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    host = await startStaticHost(await buildSite({ json: contractJson }), '/docs/');
    browser = await launchChromium(executable ?? '');
    const { open } = createReader(browser, host.origin, notes);
    page = await open('/docs/reference.html#/pets/createpet', { colours: 'light', width: 1280 });
    // Wherever the page stands when the list of languages opens, its last entry is within reach.
    await page.setViewportSize({ width: 1280, height: 2_400 });
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    host?.stop();
  });

  /** The sample beside the operation that is shown. */
  async function shown(text: string): Promise<void> {
    await page.locator('pre', { hasText: text }).first().waitFor();
  }

  function sourceOf(id: string, language: string): string {
    return samples.get(id)?.find(({ lang }) => lang === language)?.source ?? 'no sample';
  }

  test('are those of the operation, in each language, by choice', async () => {
    let current = 'curl';
    await shown(sourceOf('createPet', 'curl').trim());
    for (const [language, { label }] of Object.entries(languages).slice(1)) {
      await page.getByText(current, { exact: true }).locator('visible=true').first().click();
      // The list is positioned by script, now and then beyond the edge of the window, where the mouse cannot click.
      await page.getByText(label, { exact: true }).locator('visible=true').last().dispatchEvent('click');
      await shown(sourceOf('createPet', language).trim());
      current = label;
    }
    expect(current).toBe('PHP');
  });

  test('are coloured, which the policy of the page lets pass', async () => {
    const colours = () =>
      page.evaluate(() => {
        const tokens = [...document.querySelectorAll('pre .th-token')];
        return new Set(tokens.map((token) => getComputedStyle(token).color)).size;
      });
    expect(await colours()).toBeGreaterThan(1);
  });

  test('keep the language from one operation to the next', async () => {
    await page.getByRole('link', { name: 'List animals' }).first().click();
    await page.getByRole('heading', { name: 'List animals' }).waitFor();
    await shown(sourceOf('listPets', 'php').trim());
  });

  test('asked no other host for anything on the way, and had no errors', () => {
    expect(notes).toEqual([]);
  });
});
