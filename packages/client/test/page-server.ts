import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { bundlePage } from '../../tooling/test/bundle-page.ts';

export type PageServer = { origin: string; close: () => void };

/** Serves a page with this program, whose imports start at the package. */
export async function servePage(program: string): Promise<PageServer> {
  const script = await bundlePage(program, join(import.meta.dirname, '..'));
  const files = createServer(({ url }, response) => {
    const isScript = url === '/page.js';
    // A sandboxed frame has the origin `null`.
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><script type="module" src="/page.js"></script>');
  });
  await once(files.listen(0, '127.0.0.1'), 'listening');
  const address = files.address();
  const close = () => {
    files.closeAllConnections();
    files.close();
  };
  return { origin: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, close };
}
