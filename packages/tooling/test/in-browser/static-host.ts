import { createServer } from 'node:http';
import { listenOnLoopback } from '../../../testing/src/listen.ts';
import { mediaTypeOf } from '../../src/docs/delivery/made-file.ts';
import type { SiteFile } from '../../src/docs/site-file.ts';

/** Serves the site from a folder, as any static host would. */
export async function startStaticHost(files: readonly SiteFile[], folder: string) {
  const byPath = new Map(files.map((file) => [`${folder}${file.path}`, file]));
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '').replace(/\/$/, '/index.html');
    const file = byPath.get(path);
    if (file === undefined) return void response.writeHead(404).end();
    response.setHeader('Content-Type', mediaTypeOf(path));
    const { contentSecurityPolicy } = file;
    if (contentSecurityPolicy !== undefined) response.setHeader('Content-Security-Policy', contentSecurityPolicy);
    response.end(file.content);
  });
  return listenOnLoopback(server);
}
