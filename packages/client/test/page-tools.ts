import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { leaveOut } from '../../testing/src/left-out.ts';
import { root } from '../../tooling/src/project.ts';

const folder = 'dist/page-tools';

/**
 * The folders of tools that only CI installs, by their names. Undefined, and recorded with the command that installs them, if one is missing.
 *
 * @param check what needs them
 * @param packages with their major versions: `vitest@5`
 */
export function findPageTools(check: string, ...packages: string[]): Map<string, string> | undefined {
  const names = packages.map((name) => name.replace(/@\d+$/, ''));
  const places = new Map(names.map((name) => [name, join(root, folder, 'node_modules', name)]));
  if ([...places.values()].every(existsSync)) return places;
  leaveOut(check, `run npm install --ignore-scripts --prefix ${folder} ${packages.join(' ')}`);
  return undefined;
}
