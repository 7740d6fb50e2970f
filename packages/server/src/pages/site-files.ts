import { readFile, stat } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { basePath } from '@animal-store/contract';
import type { NextFunction, Request, Response } from 'express';
import Negotiator from 'negotiator';
import { type Delivery, type Encoding, encodings, manifestName, parseManifest } from './manifest.ts';

/** The files of a built site by path. Their content stays on disk. */
export type Site = ReadonlyMap<string, Delivery>;

/** Reads the manifest of a folder, and again when the site is rebuilt. Undefined for a folder without a site. */
export function createSiteReader(folder: string): () => Promise<Site | undefined> {
  const file = join(folder, manifestName);
  let cached: { version: string; site: Promise<Site> } | undefined;

  return async () => {
    const version = await versionOf(file);
    if (version === undefined) return undefined;
    if (cached?.version !== version) {
      const site = readFile(file, 'utf8').then(parseManifest);
      cached = { version, site };
      // The next request tries again: the failure may have passed, while the version stays the same.
      site.catch(() => {
        cached = undefined;
      });
    }
    return cached.site;
  };
}

/** Differs for every file that replaces another, even within one tick of the clock. */
async function versionOf(file: string): Promise<string | undefined> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found && `${found.mtimeNs} ${found.ino} ${found.size}`;
}

type Choose = (available: readonly string[], options: { preferred: readonly string[] }) => string[];

/**
 * The encoding that the client prefers (RFC 9110 12.5.3), the smallest of equals. Undefined for the file as it is, even if the
 * client refuses that as well: a response in another encoding is better than none.
 */
export function chooseEncoding(headers: IncomingHttpHeaders, available: readonly Encoding[]): Encoding | undefined {
  const negotiator = new Negotiator({ headers });
  // Its published types are older than this option. Without it, browsers would get gzip, which they name first.
  const choose: Choose = negotiator.encodings.bind(negotiator);
  const [best] = choose([...available, 'identity'], { preferred: Object.keys(encodings) });
  return available.find((encoding) => encoding === best);
}

const oneYear = 'public, max-age=31536000, immutable';

/**
 * Streams a file of a site from disk, in the encoding that the client prefers.
 *
 * @param file the path below the folder, as the manifest has it
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
    'Cache-Control': delivery.isImmutable ? oneYear : 'no-cache',
    'Content-Security-Policy': delivery.contentSecurityPolicy,
    'Referrer-Policy': 'no-referrer',
    // One for each encoding, because they differ byte by byte.
    ETag: `"${encoding === undefined ? delivery.hash : `${delivery.hash}-${encoding}`}"`,
    Vary: 'Accept-Encoding',
    // Tells the console which server to call. A static host does not send it.
    Link: `<${basePath}>; rel="service"`,
  });
  if (encoding !== undefined) response.set('Content-Encoding', encoding);
  const name = encoding === undefined ? file : `${file}${encodings[encoding]}`;
  // The manifest decides about caching, and no reader needs parts of a file.
  const options = { root: folder, etag: false, lastModified: false, cacheControl: false, acceptRanges: false };
  response.sendFile(name, options, (error) => handleFailure(error, response, next));
}

function handleFailure(error: unknown, response: Response, next: NextFunction): void {
  // Nothing failed, or the client disconnected.
  if (error === undefined || error === null || response.headersSent) return;
  for (const name of ['Content-Type', 'Content-Encoding', 'Content-Security-Policy', 'ETag']) {
    response.removeHeader(name);
  }
  response.set('Cache-Control', 'no-store');
  const status = typeof error === 'object' && 'status' in error ? error.status : undefined;
  if (status === 412) {
    // If-Match named another encoding.
    response.status(412).end();
    return;
  }
  // 404: a build has just removed the file.
  next(status === 404 ? undefined : error);
}
