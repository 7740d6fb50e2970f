import { join } from 'node:path';
import { type Manifest, manifestName } from '@contract-first/service/manifest';
import { writeWhole } from '../../common/write-changed.ts';
import { root } from '../../project.ts';
import type { SiteFile } from '../site-file.ts';
import { earlierDeliveries, formsOf } from './earlier-build.ts';
import { removeAllBut } from './folder.ts';
import { makeFile } from './made-file.ts';

/** The folder that the server serves at /docs. Each release has a folder in it. */
export const docsFolder = join(root, 'dist/docs');

export type WrittenSite = {
  /** Paths of the new and changed files. */
  written: string[];
  /** Paths of the removed files of an earlier build, including compressed versions. */
  removed: string[];
};

/**
 * Writes a site to the folder from which the server, or any static host, serves it: each file with its compressed
 * versions if they are smaller, and the manifest with the headers of each. Removes files of an earlier build that are not
 * in the list, except the folder of a release if the list has no file in it. Unchanged files are not written again.
 *
 * @param origin the origin in the files on a static host; the server fills in its own
 * @throws Error for two files with the same path, and as `makeFile`; nothing is written then
 */
export async function writeSite(files: readonly SiteFile[], origin: string, folder = docsFolder): Promise<WrittenSite> {
  const twice = files.find(({ path }, index) => files.findIndex((other) => other.path === path) !== index);
  if (twice !== undefined) throw new Error(`Two files of the docs have the path ${twice.path}.`);
  const earlier = earlierDeliveries(folder);
  const made = await Promise.all(files.map((file) => makeFile(file, origin, earlier.get(file.path))));
  for (const { forms } of made) for (const [path, content] of forms) writeWhole(join(folder, path), content);
  // Written after the files, so that it never lists a missing file, and before others are removed, so that it lists none
  // of them. Written every time, because its age is that of the site.
  const manifest: Manifest = Object.fromEntries(made.map(({ path, delivery }) => [path, delivery]));
  writeWhole(join(folder, manifestName), `${JSON.stringify(manifest, null, 1)}\n`);
  const kept = made.flatMap(({ path, delivery }) => formsOf(path, delivery));
  return {
    written: made.filter(({ forms }) => forms.size > 0).map(({ path }) => path),
    removed: removeAllBut(new Set([...kept, manifestName]), folder),
  };
}
