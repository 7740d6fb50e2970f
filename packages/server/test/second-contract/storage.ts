/** The store of the second contract: notes, on both engines. */

import type { DatabaseSync } from 'node:sqlite';
import {
  integer,
  type Row,
  type Run,
  type Send,
  type StoreDefinition,
  statements,
  text,
} from '@contract-first/service/storage';
import type { NewNote, Note } from './api-contract.ts';

export interface Reader {
  listNotes(query: { after: number; limit: number }): Promise<Note[]>;
  findNote(id: number): Promise<Note | undefined>;
  findPhoto(id: number): Promise<Uint8Array | undefined>;
}

export interface Writer extends Reader {
  addNote(note: NewNote): Promise<Note>;
  replaceNote(note: Note): Promise<void>;
  setPhoto(id: number, photo: Uint8Array): Promise<void>;
  removeNote(id: number): Promise<void>;
}

export type NoteStore = { reader: Reader; writer: Writer };

function toNote(row: Row): Note {
  return { ...JSON.parse(text(row[1])), id: integer(row[0]) };
}

function toPhoto(row: Row): Uint8Array | undefined {
  return row[0] instanceof Uint8Array ? row[0] : undefined;
}

function prepareStore(database: DatabaseSync) {
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

const sql = statements('store', {
  list: 'SELECT id, data FROM notes WHERE id > $1 ORDER BY id LIMIT $2',
  find: 'SELECT id, data FROM notes WHERE id = $1',
  lock: 'SELECT id, data FROM notes WHERE id = $1 FOR NO KEY UPDATE',
  findPhoto: 'SELECT photo FROM notes WHERE id = $1',
  add: 'INSERT INTO notes (data) VALUES ($1) RETURNING id, data',
  replace: 'UPDATE notes SET data = $1 WHERE id = $2',
  setPhoto: 'UPDATE notes SET photo = $1 WHERE id = $2',
  remove: 'DELETE FROM notes WHERE id = $1',
});

function reader(send: Send): Reader {
  return {
    listNotes: async ({ after, limit }) => (await send(sql.list, [after, limit])).rows.map(toNote),
    findNote: async (id) => (await send(sql.find, [id])).rows.map(toNote)[0],
    findPhoto: async (id) => (await send(sql.findPhoto, [id])).rows.map(toPhoto)[0],
  };
}

function writer(send: Send): Writer {
  return {
    ...reader(send),
    findNote: async (id) => (await send(sql.lock, [id])).rows.map(toNote)[0],
    addNote: async (note) => toNote((await send(sql.add, [JSON.stringify(note)])).rows[0] ?? []),
    async replaceNote({ id, ...note }) {
      await send(sql.replace, [JSON.stringify(note), id]);
    },
    async setPhoto(id, photo) {
      await send(sql.setPhoto, [photo, id]);
    },
    async removeNote(id) {
      await send(sql.remove, [id]);
    },
  };
}

export const storeDefinition: StoreDefinition<NoteStore> = {
  name: 'second-contract',
  sqlite: { migrations: new URL('migrations/sqlite/', import.meta.url), prepare: prepareStore },
  postgres: { migrations: new URL('migrations/postgres/', import.meta.url), reader, writer },
};
