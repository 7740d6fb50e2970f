import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { bundlePage } from '../../tooling/test/bundle-page.ts';

export type PageServer = { origin: string; close: () => void };

/** Serves a page with this program, whose imports start at the package, and other scripts by their paths. */
export async function servePage(program: string, scripts: Record<string, string> = {}): Promise<PageServer> {
  const script = await bundlePage(program, join(import.meta.dirname, '..'));
  const all: Record<string, string> = { '/page.js': script, ...scripts };
  const files = createServer(({ url = '' }, response) => {
    const found = all[url];
    // A sandboxed frame has the origin `null`.
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Content-Type', found === undefined ? 'text/html' : 'text/javascript');
    response.end(found ?? '<!doctype html><script type="module" src="/page.js"></script>');
  });
  await once(files.listen(0, '127.0.0.1'), 'listening');
  const address = files.address();
  const close = () => {
    files.closeAllConnections();
    files.close();
  };
  return { origin: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, close };
}
