import { type FSWatcher, statSync, watch } from 'node:fs';
import { join } from 'node:path';

export type FolderWatchers = {
  /** Watches the files right in a folder; false when there is no such folder. */
  add: (folder: string) => boolean;
  /** Lets go of the folders that are not among these. */
  keepOnly: (folders: ReadonlySet<string>) => void;
  close: () => void;
};

type Entry = { watcher: FSWatcher; inode: number };

/**
 * One watcher per folder: unlike one for a whole tree, or one per file, it also sees files that take the place of others.
 *
 * @param hint called whenever something in one of the folders may be different
 */
export function folderWatchers(root: string, hint: () => void): FolderWatchers {
  const entries = new Map<string, Entry>();

  function add(folder: string): boolean {
    const path = join(root, folder);
    const inode = statSync(path, { throwIfNoEntry: false })?.ino;
    if (inode === undefined) return false;
    if (entries.get(folder)?.inode === inode) return true;
    remove(folder);
    const watcher = watch(path, hint);
    // A folder that is removed while it is watched is an error on some systems, and a change on all of them.
    watcher.on('error', hint);
    entries.set(folder, { watcher, inode });
    return true;
  }

  function remove(folder: string): void {
    entries.get(folder)?.watcher.close();
    entries.delete(folder);
  }

  function keepOnly(folders: ReadonlySet<string>): void {
    for (const folder of entries.keys()) if (!folders.has(folder)) remove(folder);
  }

  return { add, keepOnly, close: () => keepOnly(new Set()) };
}
