import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

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

/**
 * Removes files of an earlier build, and returns their paths. Does not change the folder of a release if the list has no
 * file in it.
 */
export function removeAllBut(kept: ReadonlySet<string>, folder: string): string[] {
  const keptReleases = new Set([...kept].map(releaseOf));
  const isOfOthers = (path: string) => {
    const release = releaseOf(path);
    return path.endsWith('.unfinished') || (release !== undefined && !keptReleases.has(release));
  };
  const removed = filesIn(folder).filter((path) => !kept.has(path) && !isOfOthers(path));
  for (const path of removed) rmSync(join(folder, path), { force: true });
  for (const path of new Set(removed.map((file) => posix.dirname(file)))) removeEmpty(path, folder);
  return removed;
}

/** '1.0.0' for '1.0.0/index.html'. */
function releaseOf(path: string): string | undefined {
  return /^([0-9]+\.[0-9]+\.[0-9]+)\//.exec(path)?.[1];
}

function removeEmpty(path: string, folder: string): void {
  if (path === '.' || readdirSync(join(folder, path)).length > 0) return;
  rmdirSync(join(folder, path));
  removeEmpty(posix.dirname(path), folder);
}
