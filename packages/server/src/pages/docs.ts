import { join } from 'node:path';
import type { RequestHandler } from 'express';
import { sendNotBuilt } from './not-built.ts';
import { sendSiteFile } from './site/send-site-file.ts';
import { createSiteReader } from './site/site-reader.ts';

/**
 * /docs/...: the files that the build of the docs lists, and for each release those of its folder. What is not listed
 * is not there, whatever lies on the disk. Until the docs are built, a page stands in that loads itself again.
 *
 * @param docsFolder where `npm run docs` builds to
 */
export function docs(docsFolder: string): RequestHandler {
  const readSite = createSiteReader();

  return async (request, response, next) => {
    // As it was sent: paths are exact, so an encoded letter is another path.
    const { version, path } = splitVersion(request.path.slice('/docs/'.length));
    const folder = join(docsFolder, version);
    const site = await readSite(folder);
    // A body that is no HTTP was refused in the meantime.
    if (response.headersSent) return;
    if (site === undefined) return version === '' && isPage(path) ? sendNotBuilt(response) : next();
    // The links of a page are relative to its folder, so its address has to be one.
    if (path === undefined) return response.redirect(`/docs/${version}/`);
    const file = path === '' || path.endsWith('/') ? `${path}index.html` : path;
    const delivery = site.get(file);
    if (delivery === undefined) return next();
    sendSiteFile(folder, [file, delivery], request, response, next);
  };
}

/** A release's files have its version before them. It leads to a folder, so it can be nothing but three numbers. */
function splitVersion(path: string): { version: string; path: string | undefined } {
  const found = /^([0-9]+\.[0-9]+\.[0-9]+)(?:\/(.*))?$/.exec(path);
  return found === null ? { version: '', path } : { version: found[1] ?? '', path: found[2] };
}

function isPage(path: string | undefined): boolean {
  return path !== undefined && /(^|\/|\.html)$/.test(path);
}
