import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { writeWhole } from '../common/files.ts';
import { root } from '../project.ts';

const packages = join(root, 'packages');

/** The fields of a package.json that the build reads. */
export type Manifest = {
  name: string;
  version: string;
  /** In the workspace: a source file for each entry. */
  exports: Record<string, string>;
  /** The programs by their names, each with its source file. */
  bin?: Record<string, string> | undefined;
  dependencies?: Record<string, string> | undefined;
  devDependencies?: Record<string, string> | undefined;
  peerDependencies?: Record<string, string> | undefined;
  /** A package that has only this is optional, and needs no version: npm would install it with every project that has it. */
  peerDependenciesMeta?: Record<string, { optional: boolean }> | undefined;
};

export function readManifest(file: string): Manifest {
  const { exports = {}, ...others } = JSON.parse(readFileSync(file, 'utf8'));
  return { ...others, exports };
}

/** The file of an entry in dist/, without its extension: `.` is `index`, `./react` is `react`. */
export function outputName(entry: string): string {
  return entry === '.' ? 'index' : entry.replace(/^\.\//, '');
}

/** The source of each entry of the packages in the project, relative to packages/, by what imports it. */
export function workspaceEntries(): (readonly [name: string, source: string])[] {
  return globSync('*/package.json', { cwd: packages }).flatMap((file) => {
    const { name, exports } = readManifest(join(packages, file));
    const sourceOf = (source: string) => posix.join(dirname(file), source);
    return Object.entries(exports).map(([entry, source]) => [posix.join(name, entry), sourceOf(source)] as const);
  });
}

/** The settings for compiling a package: its own, or those of the project. */
export function buildConfig(name: string): string {
  const folder = join(packages, name);
  const own = join(folder, 'tsconfig.build.json');
  if (existsSync(own)) return own;
  // Not through node_modules, below which the compiler builds nothing: the sources of others become part of the client.
  const paths = Object.fromEntries(workspaceEntries().map(([entry, source]) => [entry, [join(packages, source)]]));
  const output = { noEmit: false, declaration: true, rewriteRelativeImportExtensions: true };
  const compilerOptions = { ...output, rootDir: join(folder, 'src'), outDir: join(folder, 'dist'), paths };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [join(folder, 'src')] };
  const file = join(root, `dist/tsconfig.${name}.json`);
  writeWhole(file, JSON.stringify(config));
  return file;
}
