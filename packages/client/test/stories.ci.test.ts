import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import { findChromium, launchChromium } from '../../testing/src/chromium.ts';
import { leaveOut } from '../../testing/src/left-out.ts';
import { servePage } from './page-server.ts';

const chromium = findChromium();
if (chromium === undefined) leaveOut('stories', 'install Chromium (apt-get install chromium)');

/** A page whose stories have handlers of MSW that the team wrote itself, and a client for each story, as in Storybook. */
const program = `
import { http, HttpResponse } from 'msw';
import { setupWorker } from 'msw/browser';
import { createAnimalStore } from './src/index.ts';
const baseUrl = location.origin + '/v1';
const worker = setupWorker();
globalThis.started = worker.start({ quiet: true });
globalThis.story = async (status) => {
  const headers = { 'Retry-After': '50000' };
  worker.resetHandlers(http.get(baseUrl + '/pets', () => HttpResponse.json(status === 200 ? [] : { code: 'rate_limited' }, { status, headers })));
  const { error } = await createAnimalStore({ apiKey: 'story', baseUrl }).GET('/pets', { maxRetryAfter: 0 });
  return error?.code ?? 'ok';
};
`;

(chromium === undefined ? test.skip : test)(
  'a story that is refused does not affect the next one, nor the page after a reload',
  async () => {
    const worker = readFileSync(createRequire(import.meta.url).resolve('msw/mockServiceWorker.js'), 'utf8');
    const site = await servePage(program, { '/mockServiceWorker.js': worker });
    const browser = await launchChromium(chromium ?? '');
    const page = await browser.newPage();
    const load = async () => {
      await page.goto(site.origin);
      await page.evaluate('started');
    };
    await load();
    const stories = [await page.evaluate('story(429)'), await page.evaluate('story(200)')];
    await load();
    stories.push(await page.evaluate('story(200)'));
    await browser.close();
    await site.stop();
    expect(stories).toEqual(['rate_limited', 'ok', 'ok']);
  },
  60_000,
);
