/**
 * The built app in Chromium, against the real server. These tests also cover the client in browsers: its build, CORS, the
 * headers that it reads, its gate and its retries.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startTestServer, type TestServer } from '../../../packages/server/test/harness.ts';
import { findChromium, launchChromium } from '../../../packages/testing/src/chromium.ts';
import { leaveOut } from '../../../packages/testing/src/left-out.ts';
import { type BuiltApp, serveBuiltApp } from './built-app.ts';
import { expectReadableEverywhere, signIn, type Visit, visit } from './visit.ts';

const executable = findChromium();
if (executable === undefined) leaveOut('the catalogue in a browser', 'install Chromium (apt-get install chromium)');
const inBrowser = executable === undefined ? describe.skip : describe;

inBrowser('the catalogue', () => {
  let server: TestServer;
  let app: BuiltApp;
  let browser: Browser;
  let visits: Visit[] = [];

  beforeAll(async () => {
    server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
    const names = ['Rex', 'Mia', 'Bruno', 'Nala', 'Coco', 'Élodie', 'Søren', '小白'];
    const statuses = ['available', 'available', 'pending', 'sold', undefined];
    for (let index = 0; index < 45; index += 1) {
      const body = { name: names[index % 8], categoryId: index % 7, status: statuses[index % 5] };
      await server.call('createPet', { body });
    }
    [app, browser] = await Promise.all([serveBuiltApp(`${server.url}/v1`), launchChromium(executable ?? '')]);
  });
  afterEach(async () => {
    const errors = visits.flatMap((one) => one.errors);
    await Promise.all(visits.map((one) => one.close()));
    visits = [];
    expect(errors).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.stop();
    await server?.stop();
  });

  async function open(key?: string): Promise<Page> {
    // Each tab starts with the server's time, which advances only when a test advances it.
    const one = await visit(browser, app.url, server.clock.now, key);
    visits.push(one);
    return one.page;
  }

  const status = (page: Page) => page.getByLabel('Animals').getByRole('status');
  const add = async (page: Page, name: string, category: string) => {
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Category number').fill(category);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
  };

  test('asks for the key', async () => {
    const page = await open();
    await page.getByLabel('API key').waitFor();
    await expectReadableEverywhere(page, 'sign-in');
  });

  test('shows the animals, and loads more until all are shown', async () => {
    const page = await open(server.key);
    await status(page).getByText('20 animals shown; there are more.').waitFor();
    await expectReadableEverywhere(page, 'catalogue');
    await page.getByRole('button', { name: 'Load more' }).click();
    await status(page).getByText('40 animals shown').waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    await status(page).getByText('45 animals. That is all.').waitFor();
    expect(await page.getByRole('article').count()).toBe(45);
    expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0);
  });

  test('filters by status with the keyboard alone', async () => {
    const page = await open(server.key);
    await status(page).getByText('20 animals').waitFor();
    await page.getByRole('radio', { name: 'All' }).focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    await status(page).getByText('9 animals. That is all.').waitFor();
    expect(await page.getByRole('radio', { name: 'Sold' }).isChecked()).toBe(true);
    expect(new Set(await page.locator('.pet .status').allTextContents())).toEqual(new Set(['Sold']));
  });

  test('keeps the key in this tab only: it survives a reload, but is in no other tab', async () => {
    const page = await open(server.key);
    await status(page).getByText('20 animals').waitFor();
    await page.reload();
    await status(page).getByText('20 animals').waitFor();
    // Only the quota: the name of its entry is a hash.
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(server.key);
    expect(await page.evaluate('document.cookie')).toBe('');
    const other = await page.context().newPage();
    await other.goto(app.url);
    await other.getByLabel('API key').waitFor();
    await other.close();
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.reload();
    await page.getByLabel('API key').waitFor();
  });

  test('says what to do about an invalid key', async () => {
    const page = await open('as_test_wrong');
    await page.getByRole('alert').getByText('This API key does not work').waitFor();
    await expectReadableEverywhere(page, 'wrong-key');
    await page.getByRole('button', { name: 'Use another key' }).click();
    await signIn(page, server.key);
    await status(page).getByText('20 animals').waitFor();
  });

  test('adds an animal, and reloads the list', async () => {
    const page = await open(server.key);
    await page.getByRole('radio', { name: 'Sold' }).check();
    await status(page).getByText('9 animals').waitFor();
    await page.getByLabel('Status').selectOption('Sold');
    await add(page, 'Theo', '4');
    await page.getByText(/^Theo was added as number \d+\.$/).waitFor();
    await page.getByRole('heading', { name: 'Theo' }).waitFor();
    await status(page).getByText('10 animals').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    expect(await page.getByLabel('Name').evaluate((field) => field === document.activeElement)).toBe(true);
  });

  test('shows problems at the fields of the form, and focuses the first one', async () => {
    const page = await open(server.key);
    await add(page, '', 'three');
    await page.getByText(/^Name must/).waitFor();
    await page.getByText(/^Category number must/).waitFor();
    const name = page.getByLabel('Name');
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    expect(await name.evaluate((field) => field === document.activeElement)).toBe(true);
    await expectReadableEverywhere(page, 'bad-request');
    await add(page, 'Ada', '3');
    await page.getByText(/^Ada was added/).waitFor();
    expect(await page.getByText(/^Name must/).count()).toBe(0);
  });

  test('adds an animal once if the response was lost, even if the button is pressed again', async () => {
    const page = await open(server.key);
    await status(page).getByText('20 animals').waitFor();
    let lost = 0;
    await page.route('**/v1/pets', async (route) => {
      if (route.request().method() !== 'POST' || lost === 3) return route.continue();
      lost += 1;
      await route.fetch();
      await route.abort();
    });
    await add(page, 'Unica', '5');
    await page.getByRole('alert').getByText('No response from the API').waitFor();
    expect(lost).toBe(3);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText(/^Unica was added/).waitFor();
    const { body } = await server.call('listPets', { query: { limit: 100 } });
    expect(body.filter((pet: { name: string }) => pet.name === 'Unica')).toHaveLength(1);
  });

  test('shows the remaining quota and how long to wait when it is used up, and continues afterwards', async () => {
    const key = await server.createKey('free');
    const page = await open(key);
    await page.getByText('59 of 60 requests left').waitFor();
    for (let sent = 1; sent < 60; sent += 1) await server.call('listPets', { key });
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByRole('alert').getByText('The quota of this minute is used up').waitFor();
    await page.getByText('0 of 60 requests left').waitFor();
    expect(await page.getByRole('button', { name: /^Try again in \d+ s$/ }).isDisabled()).toBe(true);
    expect(await page.getByRole('article').count()).toBe(20);
    await expectReadableEverywhere(page, 'rate-limit');
    server.clock.now += 61_000;
    await page.clock.fastForward(61_000);
    await page.getByRole('button', { name: 'Try again', exact: true }).click();
    await status(page).getByText('40 animals').waitFor();
    await page.getByText('59 of 60 requests left').waitFor();
  });
});
