import { integer, type Send, statements } from '@contract-first/service/storage';

/** What operations read from the database. */
export interface Reader {
  /** The number of notes, as an example of a method. Replace it by your own. */
  countNotes(): Promise<number>;
}

/** What operations write. */
export interface Writer extends Reader {
  addNote(text: string): Promise<void>;
}

export type MyApiStore = { reader: Reader; writer: Writer };

const sql = statements('notes', {
  count: 'SELECT count(*) FROM notes',
  add: 'INSERT INTO notes (text) VALUES ($1)',
});

export function reader(send: Send): Reader {
  return {
    countNotes: async () => (await send(sql.count)).rows.map((row) => integer(row[0]))[0] ?? 0,
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
