import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import {
  type Delivery,
  encodings,
  type Manifest,
  manifestName,
  parseManifest,
  templateEnding,
} from '@contract-first/service/manifest';
import { changedAt } from '../../common/changed-at.ts';
import { readIfThere, writeWhole } from '../../common/write-changed.ts';
import { root } from '../../project.ts';
import type { SiteFile } from '../site-file.ts';
import { makeFile } from './made-file.ts';

/** The folder that the server serves at /docs. Each release has a folder in it. */
export const docsFolder = join(root, 'dist/docs');

type WrittenSite = {
  /** Paths of the new and changed files. */
  written: string[];
  /** Paths of the removed files of an earlier build, including compressed versions. */
  removed: string[];
};

/**
 * Writes a site to the folder from which the server, or any static host, serves it: each file with its compressed
 * versions if they are smaller, and the manifest with the headers of each. Removes files of an earlier build that are not
 * in the list. Unchanged files are not written again.
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

/** When the site in a folder was built, or last found to be up to date (Unix milliseconds); 0 if there is none. */
export function builtAt(folder: string): number {
  return changedAt(join(folder, manifestName));
}

/** The files of the previous build that are unchanged since, so that they need not be written again. */
function earlierDeliveries(folder: string): ReadonlyMap<string, Delivery> {
  const listedAt = builtAt(folder);
  const isAsListed = (path: string) => {
    const at = changedAt(join(folder, path));
    // A file that is newer than the manifest comes from a build that was interrupted.
    return at > 0 && at <= listedAt;
  };
  return new Map([...listedFiles(folder)].filter(([path, delivery]) => formsOf(path, delivery).every(isAsListed)));
}

/** The paths of a file, of its compressed forms, and of its template. */
function formsOf(path: string, { encodings: names, address }: Delivery): string[] {
  const template = address === 'template' ? [`${path}${templateEnding}`] : [];
  return [path, ...names.map((name) => `${path}${encodings[name]}`), ...template];
}

function listedFiles(folder: string): ReadonlyMap<string, Delivery> {
  try {
    return parseManifest(readIfThere(join(folder, manifestName)) ?? '{}');
  } catch {
    // Another version of this build has written the manifest, so every file is written again.
    return new Map();
  }
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

/** Removes files of an earlier build, and returns their paths. */
function removeAllBut(kept: ReadonlySet<string>, folder: string): string[] {
  const removed = filesIn(folder).filter((path) => !kept.has(path) && !path.endsWith('.unfinished'));
  for (const path of removed) rmSync(join(folder, path), { force: true });
  for (const path of new Set(removed.map((file) => posix.dirname(file)))) removeEmpty(path, folder);
  return removed;
}

function removeEmpty(path: string, folder: string): void {
  if (path === '.' || readdirSync(join(folder, path)).length > 0) return;
  rmdirSync(join(folder, path));
  removeEmpty(posix.dirname(path), folder);
}
