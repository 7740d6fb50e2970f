import { hash } from 'node:crypto';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import type { SiteFile } from '../site-file.ts';

const docs = join(import.meta.dirname, '..');

/** The files that pages share, by their source. */
const sources = {
  style: { entry: 'style/site.css', path: 'assets/site.css' },
  /** Runs before the first paint, so that no page flashes in the wrong colours. */
  colours: { entry: 'browser/first-paint', path: 'assets/first-paint.js' },
  script: { entry: 'browser/site', path: 'assets/site.js' },
  /** The search, loaded when a reader searches. */
  search: { entry: 'browser/load-index', path: 'assets/search.js' },
  /** Loaded when a reader opens the form of an operation. */
  tryIt: { entry: 'browser/try-it/try-it', path: 'assets/try-it.js' },
} as const;

export type AssetName = keyof typeof sources;

const built = new Map<AssetName, SiteFile>();

/** The style sheet and scripts of every page, bundled, each with a hash of its content in its name. */
export function assets(): SiteFile[] {
  return Object.keys(sources).filter(isAssetName).map(asset);
}

/** One of these files. It is built once per process, because the sources do not change in between. */
export function asset(name: AssetName): SiteFile {
  const file = built.get(name) ?? build(name);
  built.set(name, file);
  return file;
}

function build(name: AssetName): SiteFile {
  const { entry, path } = sources[name];
  const { outputFiles } = buildSync({
    entryPoints: [join(docs, entry)],
    bundle: true,
    minify: true,
    write: false,
    charset: 'utf8',
    // A module leaks no globals and can be imported, but the first paint must not wait for one.
    format: name === 'colours' ? 'iife' : 'esm',
    target: ['es2022', 'chrome111', 'firefox113', 'safari16.4'],
    legalComments: 'none',
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`esbuild made nothing of ${entry}.`);
  return { path: withHash(path, output.text), content: output.text };
}

/** `assets/site.css` as `assets/site.3f2a9c1b04de.css`: browsers can cache it forever. */
export function withHash(path: string, content: string | Uint8Array): string {
  return path.replace(/\.(\w+)$/, (ending) => `.${hash('sha256', content, 'hex').slice(0, 12)}${ending}`);
}

function isAssetName(name: string): name is AssetName {
  return name in sources;
}
