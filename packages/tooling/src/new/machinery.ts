import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { dig } from '../common/json.ts';
import { root } from '../project.ts';
import { packVersion, sourceState } from '../release/pack-version.ts';
import { packPackages } from '../release/packages.ts';

/** The packages that serve every API, and the libraries that a project needs besides them. */
export type Machinery = {
  /** The file of each package by its name. */
  tarballs: Record<string, string>;
  /** The version of each library by its name. */
  libraries: Record<string, string>;
};

const folders = ['service', 'client-core', 'tooling', 'testing'] as const;

const libraries = [
  ...['@biomejs/biome', '@jest/globals', '@swc/core', '@swc/jest', '@types/node', '@types/express'],
  ...['express', 'jest', 'node', 'pino'],
];

/** Packs the packages of this repository into a folder. Their version is another one for each commit, so that npm installs them again. */
export function packMachinery(folder: string): Machinery {
  const files = packPackages(folders, folder, packVersion(sourceState()));
  return {
    tarballs: Object.fromEntries(folders.map((one, index) => [nameOf(one), files[index] ?? ''])),
    libraries: libraryVersions(),
  };
}

function nameOf(folder: string): string {
  return String(dig(JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8')), 'name'));
}

/** The versions that this repository uses. */
function libraryVersions(): Record<string, string> {
  const workspace: unknown = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'));
  const versions = libraries.map((name) => [name, String(dig(workspace, 'catalog', name))]);
  // The tools need the JavaScript compiler.
  return { ...Object.fromEntries(versions), typescript: String(dig(workspace, 'catalogs', 'generator', 'typescript')) };
}
