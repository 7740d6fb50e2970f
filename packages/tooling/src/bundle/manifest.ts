import { readFileSync } from 'node:fs';

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
};

export function readManifest(file: string): Manifest {
  return { exports: {}, ...JSON.parse(readFileSync(file, 'utf8')) };
}

/** The file of an entry in dist/, without its extension: `.` is `index`, `./react` is `react`. */
export function outputName(entry: string): string {
  return entry === '.' ? 'index' : entry.replace(/^\.\//, '');
}
