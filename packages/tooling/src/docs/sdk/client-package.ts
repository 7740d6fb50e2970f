import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readIfThere } from '../../common/write-changed.ts';
import { root } from '../../project.ts';
import { packVersion, sourceState } from '../../release/pack-version.ts';
import { packPackages } from '../../release/packages.ts';
import type { SiteFile } from '../site-file.ts';
import { canPackClient, checksumsPath } from './can-pack.ts';

/** The client as a file of the docs, from whose URL npm installs it, with its checksum. */
export type ClientPackage = {
  /** The path of the tarball below /docs/, with its version: `sdk/tree-nursery-client-1.0.0.tgz`. */
  path: string;
  files: SiteFile[];
};

const cache = join(root, 'node_modules/.cache/client-package');

/**
 * Packs the client, which takes some seconds, unless its sources are the same as last time. Undefined if the tools for that are not
 * installed, as after a first start.
 */
export function clientPackage(): ClientPackage | undefined {
  if (!canPackClient()) return undefined;
  const version = packVersion(sourceState());
  const folder = join(cache, keyOf(version));
  const [packed = pack(folder, version)] = globSync('*.tgz', { cwd: folder }).map((file) => join(folder, file));
  const content = readFileSync(packed);
  const name = basename(packed);
  const checksum = createHash('sha256').update(content).digest('hex');
  const path = `sdk/${name}`;
  return {
    path,
    files: [
      { path, content },
      { path: checksumsPath, content: `${checksum}  ${name}\n` },
    ],
  };
}

function pack(folder: string, version: string): string {
  // Keeps no tarballs of other sources.
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const [packed] = packPackages(['client'], folder, version);
  if (packed === undefined) throw new Error('packages/client was not packed.');
  return packed;
}

/** Everything that the content of the tarball depends on. */
function keyOf(version: string): string {
  const hash = createHash('sha256').update(version);
  const files = globSync('packages/{client,client-core,contract}/{src/**,docs/**,package.json,*.md,tsconfig*}', {
    cwd: root,
  });
  for (const file of [...files, 'pnpm-lock.yaml'].sort()) hash.update(`${file}\n${contentOf(file)}`);
  return hash.digest('hex').slice(0, 16);
}

function contentOf(file: string): string {
  try {
    return readIfThere(join(root, file)) ?? '';
  } catch {
    // A folder.
    return '';
  }
}
