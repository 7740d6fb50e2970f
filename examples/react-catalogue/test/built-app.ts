import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const folder = join(import.meta.dirname, '..');
const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

export type BuiltApp = { url: string; stop: () => Promise<void> };

/** Builds the app for an API as `npm run build` does, and serves the result. */
export async function serveBuiltApp(apiUrl: string): Promise<BuiltApp> {
  const outDir = await mkdtemp(join(tmpdir(), 'animal-store-catalogue-'));
  const vite = join(folder, 'node_modules/vite/bin/vite.js');
  // Jest sets NODE_ENV to "test", with which Vite would use the development build of React.
  const env = { ...process.env, NODE_ENV: 'production', ANIMAL_STORE_URL: apiUrl };
  await run(process.execPath, [vite, 'build', '--outDir', outDir], { cwd: folder, env }).catch(
    async (error: unknown) => {
      await rm(outDir, { recursive: true, force: true });
      throw error;
    },
  );
  const server = createServer(async ({ url = '/' }, response) => {
    const name = url === '/' ? 'index.html' : url.slice(1);
    const content = await readFile(join(outDir, name)).catch(() => undefined);
    if (content === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': types[extname(name)] ?? 'application/octet-stream' }).end(content);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await rm(outDir, { recursive: true, force: true });
    },
  };
}
