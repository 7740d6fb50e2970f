import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { extname, join } from 'node:path';
import { launchChromium } from '../../../testing/src/chromium.ts';
import { listenOnLoopback } from '../../../testing/src/listen.ts';

const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json' };

/** The text that a built page shows in its `output`, opened in Chromium with that query from a separate origin. */
export async function readPage(chromium: string, folder: string, search: URLSearchParams): Promise<string | null> {
  await using site = await listenOnLoopback(serve(folder));
  const browser = await launchChromium(chromium);
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${site.origin}/index.html?${search}`);
    return await page.locator('output:not(:empty)').textContent();
  } finally {
    await browser.close();
  }
}

/** Serves the pages and scripts of a folder. */
export function serve(folder: string): Server {
  return createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://127.0.0.1');
    response.setHeader('Content-Type', types[extname(pathname)] ?? 'text/plain');
    if (extname(pathname) in types) response.end(readFileSync(join(folder, pathname)));
    else response.writeHead(404).end();
  });
}
