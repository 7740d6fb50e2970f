import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { NextFunction, Request, Response } from 'express';
import Negotiator from 'negotiator';
import {
  type Delivery,
  type Encoding,
  encodings,
  keyPlaceholderOf,
  manifestName,
  originPlaceholder,
  parseManifest,
  templateEnding,
} from './manifest.ts';
import type { OwnServer, PerOrigin } from './own-server.ts';

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** The files of a built site by path. Their content stays on disk. */
export type Site = ReadonlyMap<string, Delivery>;

/** Returns a function that reads the manifest of a folder, and again after the site is rebuilt; undefined without a site. */
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

/** Changes when the file is replaced, even if its modification time stays the same. */
async function versionOf(file: string): Promise<string | undefined> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found && `${found.mtimeNs} ${found.ino} ${found.size}`;
}

type Choose = (available: readonly string[], options: { preferred: readonly string[] }) => string[];

/**
 * The encoding that the client prefers (RFC 9110 12.5.3); of equals, the one with the smallest file. Undefined means
 * uncompressed, even if the client refuses that as well: an unwanted encoding is better than no response.
 */
export function chooseEncoding(headers: IncomingHttpHeaders, available: readonly Encoding[]): Encoding | undefined {
  const negotiator = new Negotiator({ headers });
  // The published types lack `preferred`. Without it, browsers would get gzip, which they list first.
  const choose: Choose = negotiator.encodings.bind(negotiator);
  const [best] = choose([...available, 'identity'], { preferred: Object.keys(encodings) });
  return available.find((encoding) => encoding === best);
}

const oneYear = 'public, max-age=31536000, immutable';

/** Streams a file of a site from disk, in the encoding that the client prefers, as it was built. */
export function sendSiteFile(
  folder: string,
  [file, delivery]: readonly [string, Delivery],
  own: OwnServer,
  request: Request,
  response: Response,
  next: NextFunction,
): void {
  const encoding = chooseEncoding(request.headers, delivery.encodings);
  setHeaders(response, own, delivery, encoding);
  const name = encoding === undefined ? file : `${file}${encodings[encoding]}`;
  // The headers above control caching, and no client needs parts of a file.
  const options = { root: folder, etag: false, lastModified: false, cacheControl: false, acceptRanges: false };
  response.sendFile(name, options, (error) => handleFailure(error, response, next));
}

/** Sends a file with the address of the server in it, in the encoding that the client prefers. */
export async function sendFilledFile(
  folder: string,
  [file, delivery]: readonly [string, Delivery],
  { own, files }: { own: OwnServer; files: PerOrigin },
  request: Request,
  response: Response,
  next: NextFunction,
): Promise<void> {
  const encoding = chooseEncoding(request.headers, delivery.encodings);
  const hash = createHash('sha256').update(`${delivery.hash} ${own.baseUrl} ${own.mode}`).digest('hex').slice(0, 32);
  try {
    const content = await files.get(`${file} ${hash} ${encoding}`, async () => {
      const filled = fill(await readFile(join(folder, `${file}${templateEnding}`), 'utf8'), own);
      return encoding === undefined ? Buffer.from(filled) : compressors[encoding](filled);
    });
    // The content of a name with a hash is the same everywhere only without an address in it.
    setHeaders(response, own, { ...delivery, hash, isImmutable: false }, encoding);
    response.send(content);
  } catch (error) {
    handleFailure(hasCode(error, 'ENOENT') ? { status: 404 } : error, response, next);
  }
}

const compressors: Record<Encoding, (content: string) => Promise<Buffer>> = {
  // Quality 11, as in the build, takes 40 times as long.
  br: (content) => compressBrotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (content) => compressGzip(content),
};

function fill(text: string, { origin, keyPrefix, mode }: OwnServer): string {
  const [ofFile, ofServer] = [keyPlaceholderOf(keyPrefix, 'test'), keyPlaceholderOf(keyPrefix, mode)];
  return text.replaceAll(originPlaceholder, origin).replaceAll(ofFile, ofServer);
}

function setHeaders(
  response: Response,
  { basePath }: OwnServer,
  delivery: Delivery,
  encoding: Encoding | undefined,
): void {
  response.set({
    'Content-Type': delivery.mediaType,
    'Cache-Control': delivery.isImmutable ? oneYear : 'no-cache',
    'Content-Security-Policy': delivery.contentSecurityPolicy,
    'Referrer-Policy': 'no-referrer',
    // Each encoding has its own ETag, because the bytes differ.
    ETag: `"${encoding === undefined ? delivery.hash : `${delivery.hash}-${encoding}`}"`,
    // Tells try-it which server to call. A static host does not send it.
    Link: `<${basePath === '' ? '/' : basePath}>; rel="service"`,
  });
  response.vary('Accept-Encoding');
  if (encoding !== undefined) response.set('Content-Encoding', encoding);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function handleFailure(error: unknown, response: Response, next: NextFunction): void {
  // Nothing failed, or the client disconnected. Express reports that as an error, possibly before it has sent the headers.
  if (error === undefined || error === null || response.headersSent || hasCode(error, 'ECONNABORTED')) return;
  for (const name of ['Content-Type', 'Content-Encoding', 'Content-Security-Policy', 'ETag']) {
    response.removeHeader(name);
  }
  response.set('Cache-Control', 'no-store');
  const status = typeof error === 'object' && 'status' in error ? error.status : undefined;
  // If-Match named another encoding.
  if (status === 412) return void response.status(412).end();
  // 404: a build has just removed the file.
  next(status === 404 ? undefined : error);
}
