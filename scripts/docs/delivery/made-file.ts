import { type Delivery, encodings } from '../../../packages/server/src/pages/manifest.ts';
import { contentHash } from '../shell/content-hash.ts';
import type { SiteFile } from '../site-file.ts';
import { compress } from './compress.ts';
import { mediaTypeOf } from './media-types.ts';

/** For what is no page: opened by itself, it can do nothing. */
const nothingAllowed = "default-src 'none'; frame-ancestors 'none'";

export type MadeFile = {
  path: string;
  delivery: Delivery;
  /** What is to be written, by path: the file and its compressed forms; nothing when all of it is there. */
  forms: ReadonlyMap<string, Uint8Array>;
};

/**
 * @param earlier how the file was delivered up to now
 * @throws Error for a path that leads elsewhere, an unknown media type, a page without a policy
 */
export async function makeFile(file: SiteFile, earlier: Delivery | undefined): Promise<MadeFile> {
  const delivery = { ...deliveryOf(file), encodings: earlier?.encodings ?? [] };
  if (delivery.hash === earlier?.hash) return { path: file.path, delivery, forms: new Map() };
  const content = typeof file.content === 'string' ? Buffer.from(file.content) : file.content;
  const compressed = await compress(content);
  return {
    path: file.path,
    delivery: { ...delivery, encodings: [...compressed.keys()] },
    forms: new Map([
      [file.path, content],
      ...[...compressed].map(([name, bytes]): [string, Uint8Array] => [`${file.path}${encodings[name]}`, bytes]),
    ]),
  };
}

function deliveryOf(file: SiteFile): Omit<Delivery, 'encodings'> {
  const { path, content, contentSecurityPolicy } = file;
  if (!/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(path)) throw new Error(`${path} is no path below the docs' folder.`);
  if (path.endsWith('.html') && contentSecurityPolicy === undefined)
    throw new Error(`${path} has no Content-Security-Policy: say what the page may do.`);
  return {
    mediaType: mediaTypeOf(path),
    hash: contentHash(content, 'hex').slice(0, 32),
    isImmutable: isNamedByHash(file),
    contentSecurityPolicy: contentSecurityPolicy ?? nothingAllowed,
  };
}

/** Whether the name carries the hash of the content, as withHash gives it, so that it never stands for another one. */
function isNamedByHash({ path, content }: SiteFile): boolean {
  return path.split('.').at(-2) === contentHash(content, 'hex').slice(0, 12);
}
