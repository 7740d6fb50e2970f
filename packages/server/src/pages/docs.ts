import type { RequestHandler } from 'express';
import { sendNotBuilt } from './not-built.ts';
import { sendSiteFile } from './site/send-site-file.ts';
import { createSiteReader } from './site/site-reader.ts';

/**
 * /docs/...: the files that the build of the docs lists. What is not listed is not there, whatever lies on the disk.
 * Until the docs are built, a page stands in that loads itself again.
 *
 * @param folder where `npm run docs` builds to
 */
export function docs(folder: string): RequestHandler {
  const readSite = createSiteReader(folder);

  return async (request, response, next) => {
    // As it was sent: paths are exact, so an encoded letter is another path.
    const path = request.path.slice('/docs/'.length);
    const file = path === '' || path.endsWith('/') ? `${path}index.html` : path;
    const site = await readSite();
    // A body that is no HTTP was refused in the meantime.
    if (response.headersSent) return;
    if (site === undefined) return file.endsWith('.html') ? sendNotBuilt(response) : next();
    const delivery = site.get(file);
    if (delivery !== undefined) return sendSiteFile(folder, [file, delivery], request, response, next);
    // The links of a page are relative to its folder, so the address of a folder has its slash: /docs/1.0.0 has none.
    if (site.has(`${file}/index.html`)) return response.redirect(`/docs/${file}/`);
    next();
  };
}
