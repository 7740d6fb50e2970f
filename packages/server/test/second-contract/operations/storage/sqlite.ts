import type { DatabaseSync } from 'node:sqlite';
import type { Run } from '@contract-first/service/storage';
import { toNote, toPhoto } from './rows.ts';
import type { Reader, Writer } from './store.ts';

export function prepareStore(database: DatabaseSync) {
  const prepare = (sql: string) => database.prepare(sql, { returnArrays: true });
  const list = prepare('SELECT id, data FROM notes WHERE id > ? ORDER BY id LIMIT ?');
  const find = prepare('SELECT id, data FROM notes WHERE id = ?');
  const findPhoto = prepare('SELECT photo FROM notes WHERE id = ?');
  const add = prepare('INSERT INTO notes (data) VALUES (?) RETURNING id, data');
  const replace = prepare('UPDATE notes SET data = ? WHERE id = ?');
  const setPhoto = prepare('UPDATE notes SET photo = ? WHERE id = ?');
  const remove = prepare('DELETE FROM notes WHERE id = ?');

  const reader = (run: Run): Reader => ({
    listNotes: ({ after, limit }) => run(() => list.all(after, limit).map(toNote)),
    findNote: (id) => run(() => first(find.all(id), toNote)),
    findPhoto: (id) => run(() => first(findPhoto.all(id), toPhoto)),
  });
  const writer = (run: Run): Writer => ({
    ...reader(run),
    addNote: (note) => run(() => toNote(add.get(JSON.stringify(note)) ?? [])),
    replaceNote: ({ id, ...note }) => run(() => void replace.run(JSON.stringify(note), id)),
    setPhoto: (id, photo) => run(() => void setPhoto.run(photo, id)),
    removeNote: (id) => run(() => void remove.run(id)),
  });
  return { reader, writer };
}

function first<Row, Value>(rows: readonly Row[], read: (row: Row) => Value): Value | undefined {
  return rows[0] === undefined ? undefined : read(rows[0]);
}
