import { createServer } from 'node:http';
import { extname } from 'node:path';
import type { SiteFile } from '../site-file.ts';

const types: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
};

/** Serves the site from a folder, as any static host would. */
export async function startStaticHost(files: readonly SiteFile[], folder: string) {
  const byPath = new Map(files.map((file) => [`${folder}${file.path}`, file]));
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '').replace(/\/$/, '/index.html');
    const file = byPath.get(path);
    if (file === undefined) return void response.writeHead(404).end();
    response.setHeader('Content-Type', types[extname(path)] ?? 'text/plain');
    const { contentSecurityPolicy } = file;
    if (contentSecurityPolicy !== undefined) response.setHeader('Content-Security-Policy', contentSecurityPolicy);
    response.end(file.content);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { origin: `http://127.0.0.1:${address.port}`, stop };
}
