import { hash } from 'node:crypto';
import { posix } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import {
  type Delivery,
  type Encoding,
  encodings,
  originPlaceholder,
  templateEnding,
} from '@contract-first/service/manifest';
import { keyPlaceholder } from '../samples/request.ts';
import type { SiteFile } from '../site-file.ts';

/** The policy for files other than pages, which allows nothing. */
const nothingAllowed = "default-src 'none'; frame-ancestors 'none'";

type MadeFile = {
  path: string;
  delivery: Delivery;
  /** The content to write, by path: the file, its compressed versions and its template. */
  forms: ReadonlyMap<string, Uint8Array>;
};

/**
 * @param origin the origin that replaces the placeholder on a static host, which cannot fill in its own
 * @throws Error for a path outside the site, an unknown media type, or a page without a policy
 */
export async function makeFile(written: SiteFile, origin: string): Promise<MadeFile> {
  const file = { ...written, content: withOrigin(written.content, origin) };
  const hasKey = typeof written.content === 'string' && written.content.includes(keyPlaceholder);
  const isTemplate = hasKey || file.content !== written.content;
  const content = typeof file.content === 'string' ? Buffer.from(file.content) : file.content;
  const compressed = await compress(content);
  return {
    path: file.path,
    delivery: { ...deliveryOf(file), encodings: [...compressed.keys()], isTemplate },
    forms: new Map([
      [file.path, content],
      ...(isTemplate ? [[`${file.path}${templateEnding}`, Buffer.from(written.content)] as const] : []),
      ...[...compressed].map(([name, bytes]): [string, Uint8Array] => [`${file.path}${encodings[name]}`, bytes]),
    ]),
  };
}

function withOrigin(content: SiteFile['content'], origin: string): SiteFile['content'] {
  return typeof content === 'string' ? content.replaceAll(originPlaceholder, origin) : content;
}

function deliveryOf(file: SiteFile): Omit<Delivery, 'encodings' | 'isTemplate'> {
  const { path, content, contentSecurityPolicy } = file;
  if (!/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(path)) throw new Error(`${path} is no path below the docs' folder.`);
  if (path.endsWith('.html') && contentSecurityPolicy === undefined)
    throw new Error(`${path} has no Content-Security-Policy: say what the page may do.`);
  return {
    mediaType: mediaTypeOf(path),
    hash: hash('sha256', content, 'hex').slice(0, 32),
    isImmutable: isNamedByHash(file),
    contentSecurityPolicy: contentSecurityPolicy ?? nothingAllowed,
  };
}

/**
 * Whether the name contains the hash of the content, as `withHash` adds it, so that the content of the URL never changes.
 */
function isNamedByHash({ path, content }: SiteFile): boolean {
  return path.split('.').at(-2) === hash('sha256', content, 'hex').slice(0, 12);
}

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Up to this size, the best brotli costs less than a fifth of a second. */
const SMALL = 65_536;

/** The encodings in which a content is smaller. Formats that are already compressed gain nothing. */
async function compress(content: Uint8Array): Promise<Map<Encoding, Uint8Array>> {
  const made = await Promise.all([brotli(content), compressGzip(content, { level: constants.Z_BEST_COMPRESSION })]);
  const [br, gz] = made;
  const all: [Encoding, Uint8Array][] = [
    ['br', br],
    ['gzip', gz],
  ];
  return new Map(all.filter(([, bytes]) => bytes.length < content.length));
}

/** On the reference, 2.6 MB, quality 11 takes 11 s, and 9 only 0.6 s for a file that is a tenth larger. */
function brotli(content: Uint8Array): Promise<Uint8Array> {
  return compressBrotli(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: content.length <= SMALL ? constants.BROTLI_MAX_QUALITY : 9,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });
}

const mediaTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json',
  '.yaml': 'application/yaml',
  '.tgz': 'application/gzip',
};

/** @throws Error for an unknown file extension, because the file would have no media type */
export function mediaTypeOf(path: string): string {
  const mediaType = mediaTypes[posix.extname(path)];
  if (mediaType === undefined)
    throw new Error(`The media type of ${path} is unknown. Add it to ${import.meta.filename}.`);
  return mediaType;
}
