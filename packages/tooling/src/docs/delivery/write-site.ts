import { readdirSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { type Manifest, manifestName } from '@contract-first/service/manifest';
import { changedAt } from '../../common/changed-at.ts';
import { writeWhole } from '../../common/write-changed.ts';
import { root } from '../../project.ts';
import type { SiteFile } from '../site-file.ts';
import { makeFile } from './made-file.ts';

/** The folder that the server serves at /docs. Each release has a folder in it. */
export const docsFolder = join(root, 'dist/docs');

/**
 * Writes a site to the folder from which the server, or any static host, serves it: each file with its compressed
 * versions if they are smaller, and the manifest with the headers of each. Removes files of an earlier build that are not
 * in the list.
 *
 * @param origin the origin in the files on a static host; the server fills in its own
 * @throws Error for two files with the same path, and as `makeFile`; nothing is written then
 */
export async function writeSite(files: readonly SiteFile[], origin: string, folder = docsFolder): Promise<void> {
  const twice = files.find(({ path }, index) => files.findIndex((other) => other.path === path) !== index);
  if (twice !== undefined) throw new Error(`Two files of the docs have the path ${twice.path}.`);
  const made = await Promise.all(files.map((file) => makeFile(file, origin)));
  for (const { forms } of made) for (const [path, content] of forms) writeWhole(join(folder, path), content);
  // Written after the files, so that it never lists a missing file, and before others are removed, so that it lists none
  // of them. Its age is that of the site.
  const manifest: Manifest = Object.fromEntries(made.map(({ path, delivery }) => [path, delivery]));
  writeWhole(join(folder, manifestName), `${JSON.stringify(manifest, null, 1)}\n`);
  const written = new Set([manifestName, ...made.flatMap(({ forms }) => [...forms.keys()])]);
  for (const path of filesIn(folder)) if (!written.has(path)) rmSync(join(folder, path), { force: true });
}

/** When the site in a folder was built, or last found to be up to date (Unix milliseconds); 0 if there is none. */
export function builtAt(folder: string): number {
  return changedAt(join(folder, manifestName));
}

/** The files in a folder by relative path, with `/` on every system. Empty if the folder does not exist. */
export function filesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return files.map((file) => file.slice(folder.length + 1).replaceAll(sep, '/')).sort();
  } catch {
    return [];
  }
}
