import { gzipSync } from 'node:zlib';
import { build, version } from 'esbuild';

/** How sizes are measured. */
export const sizeMethod = `esbuild ${version}, minified, gzip -9`;

/** The most bytes, without the operations, of a page with the client core, with a client, and with its whole main entry, and of an operation. */
export const clientLimits = { core: 9_440, client: 11_110, everything: 11_410, perOperation: 60 } as const;

/**
 * The code of a page, bundled for browsers and minified.
 *
 * @param code the modules that it imports, and how it uses them
 * @param folder its imports are relative to this folder
 * @param external packages that are left out
 */
export async function bundlePage(code: string, folder: string, external: string[] = []): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    external,
    write: false,
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}

/** The bytes of a text that a server sends with gzip. */
export function compressedBytes(text: string): number {
  return gzipSync(text, { level: 9 }).length;
}
