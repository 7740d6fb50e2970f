import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'rollup';
import { readManifest } from './manifest.ts';

/**
 * Finds what a bundle imports from other packages of the workspace: what the compiler made of them below `compiled`,
 * which mirrors packages/. `extension` is .js for code, .d.ts for types.
 */
export function workspaceModules(packages: string, compiled: string, extension: string): Plugin {
  const files = new Map(
    readdirSync(packages).flatMap((folder) => {
      const { name, exports } = readManifest(join(packages, folder, 'package.json'));
      return Object.entries(exports).map(
        ([entry, source]) => [join(name, entry), join(compiled, folder, source.replace(/\.ts$/, extension))] as const,
      );
    }),
  );
  return { name: 'workspace-modules', resolveId: (imported) => files.get(imported) ?? null };
}
