import { createServer } from 'node:http';
import { join } from 'node:path';
import { type Listening, listenOnLoopback } from '../../testing/src/listen.ts';
import { bundlePage } from '../../tooling/test/bundle-page.ts';

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
