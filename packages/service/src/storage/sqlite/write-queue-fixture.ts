import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll } from '@jest/globals';
import { LOCK_TIMEOUT, watchFile } from './connection.ts';
import { WriteQueue, type WriteQueueTimes } from './write-queue.ts';

const folder = mkdtempSync(join(tmpdir(), 'field-notes-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Records the statements that are not prepared: those of the queue. */
class Recorded extends DatabaseSync {
  readonly statements: string[] = [];
  override exec(sql: string): void {
    this.statements.push(sql);
    super.exec(sql);
  }
}

let files = 0;

/** A queue on a new file that other connections can read. */
export function setUpQueue(times?: WriteQueueTimes) {
  files += 1;
  const path = join(folder, `${files}.db`);
  const database = new Recorded(path, { timeout: LOCK_TIMEOUT });
  database.exec(`PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT NOT NULL) STRICT;
    CREATE TABLE parents (id INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE children (parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED) STRICT`);
  const insert = database.prepare('INSERT INTO notes VALUES (?)');
  const select = database.prepare('SELECT text FROM notes', { returnArrays: true });
  const queue = new WriteQueue(database, watchFile(path), times);
  const note = (text: string) => queue.transact((run) => run(() => insert.run(text)));
  const notes = () => select.all().map((row) => row[0]);
  const commits = () => database.statements.filter((sql) => sql === 'COMMIT').length;
  return { path, database, queue, insert, note, notes, commits };
}
