import { createServer, type ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { policyOf } from '../../../service/src/pages/docs.ts';
import { listenOnLoopback } from '../../../testing/src/listen.ts';
import type { SiteFile } from '../../src/docs/write-site.ts';

const mediaTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
};

/** Serves the site from a folder, with the policy of the server. */
export async function startStaticHost(files: readonly SiteFile[], folder: string) {
  const byPath = new Map(files.map((file) => [`${folder}${file.path}`, file]));
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '').replace(/\/$/, '/index.html');
    const file = byPath.get(path);
    if (file === undefined) return void response.writeHead(404).end();
    sendFile(file, response);
  });
  return listenOnLoopback(server);
}

/** Sends a file of the docs as the server does. */
export function sendFile({ path, content }: SiteFile, response: ServerResponse): void {
  response.setHeader('Content-Type', mediaTypes[extname(path)] ?? 'text/plain; charset=utf-8');
  response.setHeader('Content-Security-Policy', policyOf(path));
  response.end(content);
}
