import { chromium } from 'playwright-core';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
const [file='', tag=''] = process.argv.slice(2);
const server = createServer((q, r) => { if (!/^\/docs\/?(\?.*)?$/.test(q.url ?? '')) { console.log('SRV 404', q.url); r.statusCode=404; r.end(); return; } r.setHeader('content-type','text/html; charset=utf-8'); r.end(readFileSync(file)); });
await new Promise<void>((ok) => server.listen(0, '127.0.0.1', ok));
const address = server.address(); if (typeof address !== 'object' || !address) throw 0;
const base = `http://127.0.0.1:${address.port}`;
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--headless','--no-sandbox','--disable-gpu','--disable-quic','--no-first-run','--disable-background-networking','--disable-component-update','--disable-sync'] });
for (const [name, width, height] of [['wide',1280,900],['phone',390,844]] as const) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: process.argv[4]==='dark'?'dark':'light' });
  const page = await context.newPage();
  await page.route('**', (route) => { const u = route.request().url(); if (u.startsWith(base)) return route.continue(); console.log('FOREIGN', u.slice(0,200)); return route.abort(); });
  page.on('console', (m) => console.log('CONSOLE', m.type(), m.text().slice(0,600), m.location().lineNumber));
  page.on('pageerror', (e) => console.log('PAGEERROR', e.message));
  const t=Date.now(); await page.goto(base + '/docs', { waitUntil: 'load' }); await page.waitForTimeout(1500);
  console.log(name, page.url(), Date.now()-t, 'title', await page.title(), 'hover?');
  await page.screenshot({ path: `/tmp/shots/${tag}-${name}.png` });
  await page.screenshot({ path: `/tmp/shots/${tag}-${name}-full.png`, fullPage: true });
  console.log(await page.evaluate(() => ({ h: document.documentElement.scrollHeight, w: document.documentElement.scrollWidth, links: [...document.querySelectorAll('a')].map(a => a.getAttribute('href')).slice(0,60), styles: document.querySelectorAll('style').length })));
}
await browser.close(); server.close();
