import { basePath } from '@animal-store/contract';
import type { NextFunction, Request, Response } from 'express';
import { chooseEncoding } from './choose-encoding.ts';
import { type Delivery, encodings } from './manifest.ts';

/** A year, which is how long caches keep anything; `immutable` spares the question when a page is loaded again. */
const forever = 'public, max-age=31536000, immutable';

/**
 * Sends a file of a site, in the form that the reader likes best. It is streamed as it lies on the disk: nothing is
 * compressed and nothing is kept for it.
 *
 * @param file the file's path below the folder, as the manifest has it
 */
export function sendSiteFile(
  folder: string,
  [file, delivery]: readonly [string, Delivery],
  request: Request,
  response: Response,
  next: NextFunction,
): void {
  const encoding = chooseEncoding(request.headers, delivery.encodings);
  response.set({
    'Content-Type': delivery.mediaType,
    'Cache-Control': delivery.isImmutable ? forever : 'no-cache',
    'Content-Security-Policy': delivery.contentSecurityPolicy,
    'Referrer-Policy': 'no-referrer',
    // One for each form, as they differ byte by byte.
    ETag: `"${encoding === undefined ? delivery.hash : `${delivery.hash}-${encoding}`}"`,
    Vary: 'Accept-Encoding',
    // The console calls this server, wherever it is; a host that only has the files says nothing.
    Link: `<${basePath}>; rel="service"`,
  });
  if (encoding !== undefined) response.set('Content-Encoding', encoding);
  const name = encoding === undefined ? file : `${file}${encodings[encoding]}`;
  // What the manifest says counts, not the file's times; parts of a file are of no use to readers.
  const options = { root: folder, etag: false, lastModified: false, cacheControl: false, acceptRanges: false };
  response.sendFile(name, options, (error) => answerFailure(error, response, next));
}

function answerFailure(error: unknown, response: Response, next: NextFunction): void {
  // Nothing went wrong, or the reader went away in the middle.
  if (error === undefined || error === null || response.headersSent) return;
  for (const name of ['Content-Type', 'Content-Encoding', 'Content-Security-Policy', 'ETag']) {
    response.removeHeader(name);
  }
  response.set('Cache-Control', 'no-store');
  const status = typeof error === 'object' && 'status' in error ? error.status : undefined;
  if (status === 412) {
    // If-Match named a form that this is not.
    response.status(412).end();
    return;
  }
  // 404: a build took the file away just now.
  next(status === 404 ? undefined : error);
}
