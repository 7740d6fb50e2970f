import { createServer, type Server } from 'node:http';
import { contractJson } from '@animal-store/contract/document';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { findChromium, launchChromium } from '../../testing/chromium.ts';
import { leaveOut } from '../../testing/left-out.ts';
import { docsPage } from '../page.ts';
import { languages, samplesOf } from './samples.ts';

const executable = findChromium();
if (executable === undefined) leaveOut('samples in a browser', 'install Chromium (apt-get install chromium)');
const inBrowser = executable === undefined ? describe.skip : describe;

inBrowser('the samples in the reference', () => {
  const samples = samplesOf(JSON.parse(contractJson));
  let server: Server;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const { html } = docsPage();
    server = createServer(
      (_, response) => void response.setHeader('Content-Type', 'text/html; charset=utf-8').end(html),
    );
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The server has no port.');
    browser = await launchChromium(executable ?? '');
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(`http://127.0.0.1:${address.port}/docs#/pets/createpet`);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    server?.close();
    server?.closeAllConnections();
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
      await page.getByText(label, { exact: true }).locator('visible=true').last().click();
      await shown(sourceOf('createPet', language).trim());
      current = label;
    }
    expect(current).toBe('Java');
  });

  test('keep the language from one operation to the next', async () => {
    await page.getByRole('link', { name: 'List animals' }).first().click();
    await page.getByRole('heading', { name: 'List animals' }).waitFor();
    await shown(sourceOf('listPets', 'java').trim());
  });
});
