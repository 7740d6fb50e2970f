import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

/** A page of the docs as it is delivered. */
export type BuiltPage = {
  html: Buffer;
  gzipped: Buffer;
  contentSecurityPolicy: string;
  /** Changes with the content, so that who has a page need not get it again. */
  etag: string;
};

/**
 * Reads built pages and keeps them until they are built anew: a page has 2.6 MB, and reading and compressing it for
 * every reader would cost the API its time.
 */
export function createPageReader(): (folder: string) => Promise<BuiltPage | undefined> {
  const kept = new Map<string, { builtAt: number; page: Promise<BuiltPage> }>();

  return async (folder) => {
    const file = join(folder, 'index.html');
    const builtAt = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
    if (builtAt === undefined) return undefined;
    const known = kept.get(folder);
    if (known?.builtAt === builtAt) return known.page;
    const page = readPage(folder, file);
    kept.set(folder, { builtAt, page });
    return page;
  };
}

async function readPage(folder: string, file: string): Promise<BuiltPage> {
  const [html, policy] = await Promise.all([
    readFile(file),
    readFile(join(folder, 'content-security-policy.txt'), 'utf8'),
  ]);
  const etag = `"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"`;
  return { html, gzipped: await compress(html), contentSecurityPolicy: policy.trim(), etag };
}
