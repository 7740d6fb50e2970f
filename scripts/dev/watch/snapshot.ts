import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FolderWatchers } from './folders.ts';

export type Watched = {
  /** The project's folder. */
  root: string;
  /** Files right in it. */
  files: readonly string[];
  /** Folders in it, watched with all folders below. */
  folders: readonly string[];
  /** Is a file below these folders of interest? */
  isOfInterest: (path: string) => boolean;
};

type FileState = { modified: number; size: number; hash: string };

/** The content of each file, by its path from the root. */
export type Snapshot = Map<string, FileState>;

/** Looks at every file of interest, and watches the folders on the way. Reads only what looks touched since `before`. */
export function takeSnapshot(watched: Watched, watchers: FolderWatchers, before: Snapshot): Snapshot {
  const { root, files, folders, isOfInterest } = watched;
  const visited = new Set(['.']);
  watchers.add('.');

  /** A folder is watched before it is read, so that nothing falls in between. */
  function walk(folder: string): string[] {
    if (!watchers.add(folder)) return [];
    visited.add(folder);
    return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : walk(path);
      return isOfInterest(path) ? [path] : [];
    });
  }

  const snapshot: Snapshot = new Map();
  for (const path of [...files, ...folders.flatMap(walk)]) {
    const state = stateOf(join(root, path), before.get(path));
    if (state !== undefined) snapshot.set(path, state);
  }
  watchers.keepOnly(visited);
  return snapshot;
}

function stateOf(file: string, before: FileState | undefined): FileState | undefined {
  const { mtimeMs: modified, size } = statSync(file, { throwIfNoEntry: false }) ?? {};
  if (modified === undefined || size === undefined) return undefined;
  // An emptied file is one that is being written.
  if (size === 0 || (before?.modified === modified && before.size === size)) return before;
  try {
    return { modified, size, hash: createHash('sha256').update(readFileSync(file)).digest('hex') };
  } catch {
    // Gone in between; the next hint is on its way.
    return before;
  }
}
