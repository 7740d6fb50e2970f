import { type Send, statements } from '@contract-first/service/storage';
import { toNote, toPhoto } from './rows.ts';
import type { Reader, Writer } from './store.ts';

export const sql = statements('store', {
  list: 'SELECT id, data FROM notes WHERE id > $1 ORDER BY id LIMIT $2',
  find: 'SELECT id, data FROM notes WHERE id = $1',
  lock: 'SELECT id, data FROM notes WHERE id = $1 FOR NO KEY UPDATE',
  findPhoto: 'SELECT photo FROM notes WHERE id = $1',
  add: 'INSERT INTO notes (data) VALUES ($1) RETURNING id, data',
  replace: 'UPDATE notes SET data = $1 WHERE id = $2',
  setPhoto: 'UPDATE notes SET photo = $1 WHERE id = $2',
  remove: 'DELETE FROM notes WHERE id = $1',
});

export function reader(send: Send): Reader {
  return {
    listNotes: async ({ after, limit }) => (await send(sql.list, [after, limit])).rows.map(toNote),
    findNote: async (id) => (await send(sql.find, [id])).rows.map(toNote)[0],
    findPhoto: async (id) => (await send(sql.findPhoto, [id])).rows.map(toPhoto)[0],
  };
}

export function writer(send: Send): Writer {
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
