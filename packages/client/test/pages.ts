import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { extname, join } from 'node:path';
import { launchChromium } from '../../testing/src/chromium.ts';
import { leaveOut } from '../../testing/src/left-out.ts';
import { type Listening, listenOnLoopback } from '../../testing/src/listen.ts';
import { root } from '../../tooling/src/project.ts';
import { bundlePage } from '../../tooling/test/bundle-page.ts';
import { ciTools } from '../../tooling/test/runtimes.ts';

/** Serves a page with this program, whose imports start at the package, and other scripts by their paths. */
export async function servePage(program: string, scripts: Record<string, string> = {}): Promise<Listening> {
  const script = await bundlePage(program, join(import.meta.dirname, '..'));
  const all: Record<string, string> = { '/page.js': script, ...scripts };
  return listenOnLoopback(
    createServer(({ url = '' }, response) => {
      const found = all[url];
      // A sandboxed frame has the origin `null`.
      response.setHeader('Access-Control-Allow-Origin', '*');
      response.setHeader('Content-Type', found === undefined ? 'text/html' : 'text/javascript');
      response.end(found ?? '<!doctype html><script type="module" src="/page.js"></script>');
    }),
  );
}

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

/** The folders of tools that only CI installs, by their names. Undefined, and recorded with the command that installs them, if one is missing. */
export function findPageTools(check: string, ...names: string[]): Map<string, string> | undefined {
  const places = new Map(names.map((name) => [name, join(root, ciTools.folder, name)]));
  if ([...places.values()].every(existsSync)) return places;
  leaveOut(check, `run ${ciTools.install}`);
  return undefined;
}
