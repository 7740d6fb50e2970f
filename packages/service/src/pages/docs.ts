import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import { originPlaceholder } from '../common/facts.ts';

/**
 * Serves /docs/...: the files that `npm run docs` has written into a folder.
 * @param originOf the origin by which the client reached this server, which the samples of the pages call
 */
export function docs(folder: string, title: string, originOf: (request: Request) => string): RequestHandler {
  return async (request, response, next) => {
    // The path is not decoded: paths are exact, so an encoded letter is a different path.
    const path = request.path.slice('/docs/'.length);
    const file = path === '' || path.endsWith('/') ? `${path}index.html` : path;
    // No part begins with a dot, so no path leads out of the folder.
    if (!/^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.\w+$/.test(file)) return next();
    const headers = {
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': policyOf(file),
      'Referrer-Policy': 'no-referrer',
    };
    if (!/\.(?:html|md)$/.test(file) || file === redocPage) {
      const options = { root: folder, headers, cacheControl: false, acceptRanges: false };
      return response.sendFile(file, options, (error) => {
        if (error !== undefined && !response.headersSent && !response.closed) next();
      });
    }
    const text = await readIfThere(join(folder, file));
    if (text !== undefined)
      return response
        .set(headers)
        .type(extname(file))
        .send(text.replaceAll(originPlaceholder, originOf(request)));
    const isBuilt = (await readIfThere(join(folder, 'index.html'))) !== undefined;
    return isBuilt || file.endsWith('.md') ? next() : sendNotBuilt(response, title);
  };
}

/** As Redocly makes it: with a megabyte, inline code, and the servers of the contract, so it is sent from the disk as it is. */
const redocPage = 'reference.html';

/** Everything comes from this server, and nothing is inline. The page by Redoc would load a logo from another host. */
export function policyOf(file: string): string {
  const code =
    file === redocPage
      ? "script-src 'unsafe-inline'; style-src 'unsafe-inline'; font-src data:; worker-src blob:"
      : "script-src 'self'; style-src 'self'";
  return `default-src 'none'; ${code}; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

async function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

function sendNotBuilt(response: Response, title: string): void {
  response.status(503).type('html');
  response.set({ 'Retry-After': '3', 'Content-Security-Policy': "default-src 'none'" }).send(notBuilt(title));
}

const notBuilt = (title: string) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="3">
<title>${title}: the docs are being built</title>
<h1>The docs are being built</h1>
<p>This page reloads every few seconds. If the docs don't appear, run <code>npm run docs</code>.</p>
`;
