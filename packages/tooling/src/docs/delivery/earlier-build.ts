import { join } from 'node:path';
import {
  type Delivery,
  encodings,
  manifestName,
  parseManifest,
  templateEnding,
} from '@contract-first/service/manifest';
import { changedAt } from '../../common/changed-at.ts';
import { readIfThere } from '../../common/write-changed.ts';

/** When the site in a folder was built, or last found to be up to date (Unix milliseconds); 0 if there is none. */
export function builtAt(folder: string): number {
  return changedAt(join(folder, manifestName));
}

/** The files of the previous build that are unchanged since, so that they need not be written again. */
export function earlierDeliveries(folder: string): ReadonlyMap<string, Delivery> {
  const listedAt = builtAt(folder);
  const isAsListed = (path: string) => {
    const at = changedAt(join(folder, path));
    // A file that is newer than the manifest comes from a build that was interrupted.
    return at > 0 && at <= listedAt;
  };
  return new Map([...listedFiles(folder)].filter(([path, delivery]) => formsOf(path, delivery).every(isAsListed)));
}

/** The paths of a file, of its compressed forms, and of its template. */
export function formsOf(path: string, { encodings: names, address }: Delivery): string[] {
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
