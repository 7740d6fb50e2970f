import { folderWatchers } from './folders.ts';
import { type Snapshot, takeSnapshot, type Watched } from './snapshot.ts';

/** Editors write a file in two or three steps; after this many quiet milliseconds they are done. */
const QUIET = 30;

/** What changed, seen from the root, and when the first sign of it came (in milliseconds of performance.now). */
export type Change = { paths: string[]; since: number };

/**
 * Tells which files have another content than before. What the system says of a change differs between editors (a new
 * file in the place of the old one, an emptied one filled later), so it is taken as a hint to look, and no more.
 */
export function watchFiles(watched: Watched, onChange: (change: Change) => void): { close: () => void } {
  const watchers = folderWatchers(watched.root, hint);
  let snapshot: Snapshot = takeSnapshot(watched, watchers, new Map());
  let since: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  function hint(): void {
    since ??= performance.now();
    clearTimeout(timer);
    timer = setTimeout(compare, QUIET);
  }

  function compare(): void {
    const before = snapshot;
    const change = { paths: [''], since: since ?? performance.now() };
    since = undefined;
    snapshot = takeSnapshot(watched, watchers, before);
    change.paths = differences(before, snapshot);
    if (change.paths.length > 0) onChange(change);
  }

  function close(): void {
    clearTimeout(timer);
    watchers.close();
  }

  return { close };
}

function differences(before: Snapshot, after: Snapshot): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path)?.hash !== after.get(path)?.hash).sort();
}
