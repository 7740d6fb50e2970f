import { build } from 'esbuild';

/** Bundles and minifies the code of a page. Its relative imports start at `folder`. */
export async function bundlePage(code: string, folder: string): Promise<string> {
  const stdin = { contents: code, resolveDir: folder, loader: 'ts' } as const;
  const { outputFiles } = await build({ stdin, bundle: true, minify: true, format: 'esm', write: false });
  return outputFiles.map(({ text }) => text).join('');
}
