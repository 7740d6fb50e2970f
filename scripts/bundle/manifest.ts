import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

/** What the build reads in a package.json of the workspace. */
export type Manifest = {
  name: string;
  /** In the workspace a package is its sources: a source file for each entry. Empty where nobody imports it. */
  exports: Record<string, string>;
  /** What replaces them when the package is published. */
  publishConfig: { exports: unknown };
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
};

export function readManifest(file: string): Manifest {
  return { exports: {}, ...JSON.parse(readFileSync(file, 'utf8')) };
}

/** The file of an entry in dist/, without its extension: `.` is `index`, `./react` is `react`. */
export function outputName(entry: string): string {
  return entry === '.' ? 'index' : entry.replace(/^\.\//, '');
}

/** Whether an import names what a user has to install, a sub-path of it included, and so stays outside the bundles. */
export function isExternal({ dependencies, peerDependencies }: Manifest, imported: string): boolean {
  const names = Object.keys({ ...dependencies, ...peerDependencies });
  return names.some((name) => imported === name || imported.startsWith(`${name}/`));
}

/** What `publishConfig.exports` has to be: each entry as ESM and as CommonJS, each with types of its own. */
export function publishedExports({ exports }: Manifest): Record<string, unknown> {
  const conditions = (name: string) => ({
    import: { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
    require: { types: `./dist/${name}.d.cts`, default: `./dist/${name}.cjs` },
  });
  return Object.fromEntries(Object.keys(exports).map((entry) => [entry, conditions(outputName(entry))]));
}

/** Throws, with the lines to paste, when what is published is not what is built. */
export function checkPublishedExports(manifest: Manifest): void {
  const wanted = publishedExports(manifest);
  if (isDeepStrictEqual(manifest.publishConfig.exports, wanted)) return;
  const lines = JSON.stringify({ exports: wanted }, null, 2);
  throw new Error(`publishConfig of ${manifest.name} has to publish what exports has. Write into it:\n${lines}`);
}
