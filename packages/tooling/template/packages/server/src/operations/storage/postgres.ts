import { integer, type Send, statements } from '@contract-first/service/storage';
import type { Reader, Writer } from './store.ts';

const sql = statements('store', {
  count: 'SELECT count(*) FROM notes',
  add: 'INSERT INTO notes (text) VALUES ($1)',
});

export function reader(send: Send): Reader {
  return {
    countNotes: async () => (await send(sql.count, [])).rows.map((row) => integer(row[0]))[0] ?? 0,
  };
}

export function writer(send: Send): Writer {
  return {
    ...reader(send),
    async addNote(text) {
      await send(sql.add, [text]);
    },
  };
}
