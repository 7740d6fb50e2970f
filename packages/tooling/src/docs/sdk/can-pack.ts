import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { dig, entriesOf } from '../../common/json.ts';
import { readIfThere } from '../../common/write-changed.ts';
import { root } from '../../project.ts';

/** The checksum of the client in the docs, which are built without it if it cannot be packed. */
export const checksumsPath = 'sdk/SHA256SUMS.txt';

/** Whether a project has a client that can be packed, and the tools for that are installed: they are not after a first start. */
export function canPackClient(project = root): boolean {
  const manifest: unknown = JSON.parse(readIfThere(join(project, 'packages/client/package.json')) ?? '{}');
  if (dig(manifest, 'scripts', 'build') === undefined) return false;
  const folders = ['packages/client/node_modules', 'node_modules'].map((folder) => join(project, folder));
  const isInstalled = (name: string) => folders.some((folder) => existsSync(join(folder, name)));
  const needed = ['dependencies', 'devDependencies'].flatMap((group) => entriesOf(dig(manifest, group)));
  return needed.every(([name]) => isInstalled(name)) && hasBundler();
}

function hasBundler(): boolean {
  const require = createRequire(import.meta.url);
  try {
    for (const name of ['rollup', 'rollup-plugin-dts', '@rollup/plugin-node-resolve']) require.resolve(name);
    return true;
  } catch {
    return false;
  }
}
