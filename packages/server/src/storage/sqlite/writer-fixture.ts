import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll } from '@jest/globals';
import { PATIENCE, watchFile } from './connection.ts';
import { ask } from './failure.ts';
import { Writer, type WriterTimes } from './writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes down the statements that are not prepared: those of the writer. */
class Recorded extends DatabaseSync {
  readonly statements: string[] = [];
  override exec(sql: string): void {
    this.statements.push(sql);
    super.exec(sql);
  }
}

let files = 0;

/** A writer on a new file that every connection can look into. */
export function setUpWriter(times?: WriterTimes) {
  files += 1;
  const path = join(folder, `${files}.db`);
  const database = new Recorded(path, { timeout: PATIENCE });
  database.exec(`PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT NOT NULL) STRICT;
    CREATE TABLE parents (id INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE children (parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED) STRICT`);
  const insert = database.prepare('INSERT INTO notes VALUES (?)');
  const select = database.prepare('SELECT text FROM notes', { returnArrays: true });
  const writer = new Writer(database, watchFile(path), times);
  const note = (text: string) => writer.transact(async () => ask(() => insert.run(text)));
  const notes = () => select.all().map((row) => row[0]);
  const commits = () => database.statements.filter((sql) => sql === 'COMMIT').length;
  return { path, database, writer, note, notes, commits };
}
