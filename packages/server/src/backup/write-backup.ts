import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Why there is no backup, as one sentence for whoever asked for it. */
export class BackupError extends Error {
  override name = 'BackupError';
}

/**
 * Copies an embedded database as it is at one moment, while servers write to it. The copy is checked and on the disk
 * before it has its name, so that no half of one is ever taken for a whole.
 *
 * @returns the number of animals in it
 * @throws BackupError when there is no such database, already such a file, or no folder for it
 */
export function writeBackup(path: string, target: string): number {
  if (!existsSync(path)) throw new BackupError(`There is no database ${path}. Look at DATABASE_URL.`);
  if (existsSync(target)) throw new BackupError(`${target} is there already, and no backup is overwritten.`);
  const folder = dirname(target);
  if (!existsSync(folder)) throw new BackupError(`There is no folder ${folder}. Make it first.`);
  const partial = `${target}.partial`;
  try {
    copy(path, partial);
    const animals = check(partial);
    sync(partial);
    renameSync(partial, target);
    return animals;
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

/** A reader like any other: nobody waits for it, and it sees nothing of what is written meanwhile. */
function copy(path: string, target: string): void {
  // Hashes of keys are in it, so it is for its owner alone.
  closeSync(openSync(target, 'w', 0o600));
  const source = new DatabaseSync(path, { readOnly: true });
  try {
    source.prepare('VACUUM INTO ?').run(target);
  } finally {
    source.close();
  }
}

function check(file: string): number {
  const copied = new DatabaseSync(file, { readOnly: true });
  try {
    const [verdict] = Object.values(copied.prepare('PRAGMA integrity_check').get() ?? {});
    if (verdict !== 'ok') throw new BackupError(`The copy is damaged, and so may be the database: ${verdict}.`);
    return Number(copied.prepare('SELECT count(*) AS animals FROM pets').get()?.['animals']);
  } finally {
    copied.close();
  }
}

function sync(file: string): void {
  const descriptor = openSync(file, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
