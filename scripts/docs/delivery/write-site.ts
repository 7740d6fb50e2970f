import { join } from 'node:path';
import { type Manifest, manifestName } from '../../../packages/server/src/pages/manifest.ts';
import { root } from '../../root.ts';
import { writeWhole } from '../../write-changed.ts';
import type { SiteFile } from '../site-file.ts';
import { earlierDeliveries, formsOf } from './earlier-build.ts';
import { removeAllBut } from './folder.ts';
import { makeFile } from './made-file.ts';

/** What the server delivers at /docs; each release has a folder in it. */
export const docsFolder = join(root, 'dist/docs');

export type WrittenSite = {
  /** Paths of the files that are new or another than before. */
  written: string[];
  /** Paths of the files of an earlier build that are gone, their compressed forms among them. */
  removed: string[];
};

/**
 * Writes a site to where the server reads it, as any static host can, too: each file, its compressed forms beside it
 * where they are smaller, and the manifest that says how each is delivered. Files of an earlier build that are not in
 * the list are removed, except a release's folder of which the list has nothing. What has not changed is not made again.
 *
 * @throws Error for two files with one path, and as makeFile does; nothing was written then
 */
export async function writeSite(files: readonly SiteFile[], folder = docsFolder): Promise<WrittenSite> {
  const twice = files.find(({ path }, index) => files.findIndex((other) => other.path === path) !== index);
  if (twice !== undefined) throw new Error(`Two files of the docs have the path ${twice.path}.`);
  const earlier = earlierDeliveries(folder);
  const made = await Promise.all(files.map((file) => makeFile(file, earlier.get(file.path))));
  for (const { forms } of made) for (const [path, content] of forms) writeWhole(join(folder, path), content);
  // After the files, so that it never lists what is not there; before others go, so that nothing leads to them. Written
  // each time: its age is that of the site.
  const manifest: Manifest = Object.fromEntries(made.map(({ path, delivery }) => [path, delivery]));
  writeWhole(join(folder, manifestName), `${JSON.stringify(manifest, null, 1)}\n`);
  const kept = made.flatMap(({ path, delivery }) => formsOf(path, delivery.encodings));
  return {
    written: made.filter(({ forms }) => forms.size > 0).map(({ path }) => path),
    removed: removeAllBut(new Set([...kept, manifestName]), folder),
  };
}
