import type { DatabaseSync } from 'node:sqlite';
import { integer, prepareAll, type Run } from '@contract-first/service/storage';
import type { Reader, Writer } from './store.ts';

export function prepareStore(database: DatabaseSync) {
  const { count, add } = prepareAll(database, {
    count: 'SELECT count(*) FROM notes',
    add: 'INSERT INTO notes (text) VALUES (?)',
  });

  const reader = (run: Run): Reader => ({
    countNotes: () => run(() => count.all().map((row) => integer(row[0]))[0] ?? 0),
  });
  const writer = (run: Run): Writer => ({
    ...reader(run),
    addNote: (text) => run(() => void add.run(text)),
  });
  return { reader, writer };
}
