import type { Request, RequestHandler, Response } from 'express';
import type { Delivery } from './manifest.ts';
import { type OwnServer, PerOrigin } from './own-server.ts';
import { createSiteReader, sendFilledFile, sendSiteFile } from './site-files.ts';

/**
 * Serves /docs/...: the files that the manifest in the output folder of `npm run docs` lists, and no others.
 * @param ownServer the address by which the client reached this server
 */
export function docs(folder: string, title: string, ownServer: (request: Request) => OwnServer): RequestHandler {
  const readSite = createSiteReader(folder);
  const files = new PerOrigin();

  return async (request, response, next) => {
    const send = (name: string, delivery: Delivery): void | Promise<void> => {
      const own = ownServer(request);
      return !delivery.isTemplate || !files.accepts(own.origin)
        ? sendSiteFile(folder, [name, delivery], own, request, response, next)
        : sendFilledFile(folder, [name, delivery], { own, files }, request, response, next);
    };
    // The path is not decoded: paths are exact, so an encoded letter is a different path.
    const path = request.path.slice('/docs/'.length);
    const file = path === '' || path.endsWith('/') ? `${path}index.html` : path;
    const site = await readSite();
    if (site === undefined) return file.endsWith('.html') ? sendNotBuilt(response, title) : next();
    const delivery = site.get(file);
    if (delivery !== undefined) return send(file, delivery);
    // The links of a page are relative to its folder, so the URL of a folder needs its slash.
    if (site.has(`${file}/index.html`)) return response.redirect(`/docs/${file}/`);
    const notFound = site.get(notFoundFile);
    // Browsers get a page; other clients get the same error as for any unknown path.
    if (notFound === undefined || request.accepts('json', 'html') !== 'html') return next();
    response.status(404);
    response.vary('Accept');
    await send(notFoundFile, notFound);
  };
}

const notFoundFile = '404.html';

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
