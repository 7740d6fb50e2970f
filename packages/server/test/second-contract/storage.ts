/** The store of the second contract: notes, on both engines. */

import { integer, type Row, type Send, type StoreDefinition, statements, text } from '@contract-first/service/storage';
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
  sqlite: { migrations: new URL('migrations/sqlite/', import.meta.url), reader, writer },
  postgres: {
    migrations: new URL('migrations/postgres/', import.meta.url),
    reader,
    writer: (send) => ({
      ...writer(send),
      findNote: async (id) => (await send(sql.lock, [id])).rows.map(toNote)[0],
    }),
  },
};
