/** The panel of the devtools in Chromium, with a client of the real server. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { startTestServer } from '../../server/test/harness.ts';
import { findChromium, launchChromium } from '../../testing/src/chromium.ts';
import { leaveOut } from '../../testing/src/left-out.ts';
import { listenOnLoopback } from '../../testing/src/listen.ts';
import { bundlePage } from '../../tooling/test/bundle-page.ts';

const chromium = findChromium();
if (chromium === undefined) leaveOut('the devtools in a browser', 'install Chromium (apt-get install chromium)');

const program = `
import { createAnimalStore } from './src/index.ts';
import { createDevtools } from './src/devtools.ts';
const { url, key } = Object.fromEntries(new URLSearchParams(location.search));
const devtools = createDevtools();
const store = createAnimalStore({ apiKey: key, baseUrl: url, onEvent: devtools.onEvent });
Object.assign(globalThis, { store, devtools });
globalThis.list = (id) => store.GET('/pets', { params: { query: { id: [id] } } }).then(({ response }) => response.status);
globalThis.panel = devtools.panel(store);
document.body.append(globalThis.panel);
`;

const html = '<!doctype html><html lang="en"><title>Page</title><body><main><h1>Page</h1></main>';
/** The strictest policy of a page: no inline styles or scripts. */
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src *";

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

(chromium === undefined ? describe.skip : describe)('the panel', () => {
  test('says which call waits, why and until when, and sends it when the button is pressed', async () => {
    await using server = await startTestServer({ databaseUrl: 'sqlite::memory:', now: Date.now() });
    const script = await bundlePage(program, join(import.meta.dirname, '..'));
    await using site = await listenOnLoopback(
      createServer(({ url }, response) => {
        const isScript = url === '/page.js';
        response.setHeader('Content-Security-Policy', policy);
        response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
        response.end(isScript ? script : `${html}<script type="module" src="/page.js"></script>`);
      }),
    );
    const key = await server.createKey('free');
    const browser = await launchChromium(chromium ?? '');
    try {
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) errors.push(message.text());
      });
      page.on('pageerror', ({ message }) => errors.push(message));
      await page.goto(`${site.origin}/?${new URLSearchParams({ url: `${server.url}/v1`, key })}`);
      const panel = page.getByRole('region', { name: 'API calls' });
      await panel.getByText('Requests are sent.').waitFor();
      expect(await page.evaluate('list(7)')).toBe(200);
      await panel.getByText('59 of 60 requests left until').waitFor();
      await panel.getByRole('row', { name: /^1 GET \/pets ended, 1 sent 200/ }).waitFor();

      // Others use up the quota, so that the next call is refused and waits.
      for (let sent = 1; sent < 60; sent += 1) await server.call('listPets', { key });
      await page.evaluate('void (globalThis.waiting = list(8))');
      const row = panel.getByRole('row', {
        name: /^2 GET \/pets waits rate_limited \d+:\d\d:\d\d( [AP]M)? \(\d+ s\)$/,
      });
      await row.waitFor();
      expect(await panel.getByRole('status').textContent()).toMatch(/^No requests until \d.*: rate_limited$/);
      expect(await panel.getByRole('heading').textContent()).toBe('API calls: 1 waiting, 0 in flight');
      await page.evaluate(axe);
      const audit = 'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.length]))';
      expect(await page.evaluate(audit)).toEqual([]);
      // Neither the key, nor what the user searched for.
      const text = String(await page.evaluate('panel.shadowRoot.textContent'));
      expect(text).not.toContain(key);
      expect(text).not.toMatch(/as_test|http|\?id=/);

      server.clock.now += 61_000;
      await panel.getByRole('button', { name: 'Resume all' }).click();
      expect(await page.evaluate('waiting')).toBe(200);
      await panel.getByRole('row', { name: /^2 GET \/pets ended, 2 sent 200/ }).waitFor();
      await panel.getByText('Requests are sent.').waitFor();
      expect(await panel.getByRole('heading').textContent()).toBe('API calls: 0 waiting, 0 in flight');

      // A panel that was removed does nothing more, until it is added again.
      await page.evaluate('panel.remove()');
      expect(await page.evaluate('list(9)')).toBe(200);
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      expect(await page.evaluate('panel.shadowRoot.textContent')).not.toContain('3 GET');
      await page.evaluate('document.body.append(panel)');
      await panel.getByRole('row', { name: /^3 GET \/pets ended, 1 sent 200/ }).waitFor();

      // A call that waits for a retry is sent, too.
      let isDown = true;
      await page.route('**/v1/pets?*', (route) => {
        if (!isDown) return route.continue();
        isDown = false;
        const headers = {
          'Access-Control-Allow-Origin': '*',
          'Access-Control-Expose-Headers': '*',
          'Retry-After': '60',
        };
        return route.fulfill({ status: 503, headers, json: { code: 'service_unavailable', message: 'Wait.' } });
      });
      await page.evaluate('void (globalThis.waiting = list(10))');
      await panel.getByRole('row', { name: /^4 GET \/pets waits retry after 503 .+ \((59|60|61) s\)$/ }).waitFor();
      await panel.getByRole('button', { name: 'Resume all' }).click();
      expect(await page.evaluate('waiting')).toBe(200);
      await panel.getByRole('row', { name: /^4 GET \/pets ended, 2 sent 200/ }).waitFor();
      expect(errors).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
