import { type Delivery, encodings, originPlaceholder, templateEnding } from '@contract-first/service/manifest';
import { keyPlaceholder } from '../samples/request.ts';
import { contentHash } from '../shell/content-hash.ts';
import type { SiteFile } from '../site-file.ts';
import { compress } from './compress.ts';
import { mediaTypeOf } from './media-types.ts';

/** The policy for files other than pages, which allows nothing. */
const nothingAllowed = "default-src 'none'; frame-ancestors 'none'";

export type MadeFile = {
  path: string;
  delivery: Delivery;
  /** The content to write, by path: the file and its compressed versions; empty if all of them exist already. */
  forms: ReadonlyMap<string, Uint8Array>;
};

/**
 * @param origin the origin that replaces the placeholder on a static host, which cannot fill in its own
 * @param earlier the entry of the file in the previous manifest
 * @throws Error for a path outside the site, an unknown media type, or a page without a policy
 */
export async function makeFile(written: SiteFile, origin: string, earlier: Delivery | undefined): Promise<MadeFile> {
  const file = { ...written, content: withOrigin(written.content, origin) };
  const hasKey = typeof written.content === 'string' && written.content.includes(keyPlaceholder);
  const isTemplate = hasKey || file.content !== written.content;
  const address: Delivery['address'] = written.isContract === true ? 'contract' : isTemplate ? 'template' : undefined;
  const delivery = {
    ...deliveryOf(file),
    encodings: earlier?.encodings ?? [],
    ...(address === undefined ? {} : { address }),
  };
  if (delivery.hash === earlier?.hash && delivery.address === earlier.address)
    return { path: file.path, delivery, forms: new Map() };
  const content = typeof file.content === 'string' ? Buffer.from(file.content) : file.content;
  const compressed = await compress(content);
  return {
    path: file.path,
    delivery: { ...delivery, encodings: [...compressed.keys()] },
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

/**
 * Whether the name contains the hash of the content, as `withHash` adds it, so that the content of the URL never changes.
 */
function isNamedByHash({ path, content }: SiteFile): boolean {
  return path.split('.').at(-2) === contentHash(content, 'hex').slice(0, 12);
}
