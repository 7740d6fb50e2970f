import { join } from 'node:path';
import { type Delivery, encodings, manifestName, parseManifest } from '../../../packages/server/src/pages/manifest.ts';
import { changedAt } from '../../changed-at.ts';
import { readIfThere } from '../../write-changed.ts';

/** When the site in a folder was made, or last found to be up to date (Unix milliseconds); 0 when there is none. */
export function builtAt(folder: string): number {
  return changedAt(join(folder, manifestName));
}

/** The files that the build before this one has left as it listed them: they need not be made again. */
export function earlierDeliveries(folder: string): ReadonlyMap<string, Delivery> {
  const listedAt = builtAt(folder);
  const isAsListed = (path: string) => {
    const at = changedAt(join(folder, path));
    // One that was written after the list is of a build that did not come to its end.
    return at > 0 && at <= listedAt;
  };
  return new Map(
    [...listedFiles(folder)].filter(([path, { encodings }]) => formsOf(path, encodings).every(isAsListed)),
  );
}

/** The paths of a file and of its compressed forms. */
export function formsOf(path: string, names: Delivery['encodings']): string[] {
  return [path, ...names.map((name) => `${path}${encodings[name]}`)];
}

function listedFiles(folder: string): ReadonlyMap<string, Delivery> {
  try {
    return parseManifest(readIfThere(join(folder, manifestName)) ?? '{}');
  } catch {
    // Written by another version of this build: everything is made anew.
    return new Map();
  }
}
