import { createServer, type Server } from 'node:http';
import { banRules, plans } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { findChromium, launchChromium } from '../testing/chromium.ts';
import { leaveOut } from '../testing/left-out.ts';
import { docsPage } from './page.ts';

const { html, contentSecurityPolicy } = docsPage();
const executable = findChromium();
if (executable === undefined) leaveOut('docs in a browser', 'install Chromium (apt-get install chromium)');
const inBrowser = executable === undefined ? describe.skip : describe;

inBrowser('the reference page in Chromium', () => {
  const foreignRequests: string[] = [];
  const errors: string[] = [];
  let server: Server;
  let origin = '';
  let browser: Browser;

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url !== '/docs') return void response.writeHead(404).end();
      response.setHeader('Content-Security-Policy', contentSecurityPolicy);
      response.setHeader('Content-Type', 'text/html; charset=utf-8').end(html);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The server has no port.');
    origin = `http://127.0.0.1:${address.port}`;
    browser = await launchChromium(executable ?? '');
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    server?.close();
    server?.closeAllConnections();
  });

  /** Opens the page at a section, and notes every request to another host (which is refused) and every error. */
  async function open(width: number, section = ''): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    page.setDefaultTimeout(25_000);
    await page.route('**', async (route) => {
      const address = route.request().url();
      if (address.startsWith(`${origin}/`)) return route.continue();
      foreignRequests.push(address);
      return route.abort();
    });
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${origin}/docs${section}`);
    return page;
  }

  test('shows the plans and the error codes of the contract', async () => {
    const page = await open(1280);
    await page.getByRole('row', { name: planRow(plans.pro) }).waitFor();
    await page.getByRole('row', { name: 'Enterprise by agreement by agreement' }).waitFor();
    await page.getByText(`A key is banned when it is refused more than ${banRules.toleratedRefusals} times`).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'rate_limited (429): The limit' }).waitFor();
    expect(await page.title()).toBe('Animal Store API reference');
  });

  test('leads from the menu to listPets with its 429', async () => {
    const page = await open(1280);
    await page.getByRole('link', { name: 'Pets', exact: true }).click();
    await page.getByRole('link', { name: 'List animals' }).first().click();
    await page.waitForURL(`${origin}/docs#/pets/listpets`);
    await page.getByRole('heading', { name: 'List animals' }).waitFor();
    await page.getByText('Maximum number of entries to return.').waitFor();
    await page.getByText('429', { exact: true }).locator('visible=true').first().waitFor();
  });

  test('marks getPet as deprecated, without the raw extension', async () => {
    const page = await open(1280, '#/pets/getpet');
    await page.getByRole('heading', { name: 'Get an animal' }).waitFor();
    await page
      .getByText(/^deprecated$/i)
      .locator('visible=true')
      .first()
      .waitFor();
    await page.getByText('to be removed on 5 December 2030').waitFor();
    expect(await page.getByText('x-deprecation').count()).toBe(0);
  });

  test('marks each order operation as beta', async () => {
    const page = await open(1280, '#/orders/createorder');
    await page.getByRole('heading', { name: 'Order an animal' }).waitFor();
    for (const name of ['List orders', 'Order an animal', 'Get an order', 'Complete an order', 'Cancel an order']) {
      await page.getByRole('link', { name: `${name} Beta` }).waitFor();
    }
  });

  test('finds, shows the security scheme, and turns dark', async () => {
    const page = await open(1280, '#/pets/listpets');
    await page.getByRole('button', { name: 'Copy', exact: true }).first().waitFor();
    // Redoc's menu beside it leads to services of others.
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0);
    await page.getByText('View security details').first().click();
    await page.getByText('Bearer Format').waitFor();
    await page.keyboard.press('Escape');
    await page.getByTestId('search-trigger').getByText('Search').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox').fill('cursor');
    await page.getByText('Where the page starts.').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByTestId('color-mode-switcher').click();
    await page.locator('html.dark').waitFor();
  });

  test('fits a phone', async () => {
    const page = await open(390);
    await page.getByRole('button', { name: 'Open navigation menu' }).click();
    await page.getByRole('link', { name: 'Plans', exact: true }).click();
    await page.getByRole('row', { name: planRow(plans.free) }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  test('asked no other host for anything on the way, and had no errors', () => {
    expect({ foreignRequests, errors }).toEqual({ foreignRequests: [], errors: [] });
  });
});

function planRow({ title, perMinute, perDay }: { title: string; perMinute: number; perDay: number }): string {
  return `${title} ${perMinute.toLocaleString('en')} ${perDay.toLocaleString('en')}`;
}

test('the policy lets in nothing remote and no script but the two of the page', () => {
  expect(contentSecurityPolicy).toMatch(/^default-src 'none'; script-src '\S+' '\S+'; style-src-elem /);
  expect(contentSecurityPolicy).not.toMatch(/unsafe-inline|unsafe-eval|http|\*/);
});

test('the page is built without telemetry', () => {
  expect(html).toContain('"disableTelemetry":true');
});
