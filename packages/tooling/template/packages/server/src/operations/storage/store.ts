/** What operations read and write. Both engines run the same statements: give one that needs another SQL a `reader` and a `writer` of its own. */
import { integer, type Send, type StoreDefinition, statements } from '@contract-first/service/storage';

export interface Reader {
  /** The number of notes, as an example of a method. Replace it by your own. */
  countNotes(): Promise<number>;
}

export interface Writer extends Reader {
  addNote(text: string): Promise<void>;
}

export type MyApiStore = { reader: Reader; writer: Writer };

const sql = statements('notes', {
  count: 'SELECT count(*) FROM notes',
  add: 'INSERT INTO notes (text) VALUES ($1)',
});

function reader(send: Send): Reader {
  return {
    countNotes: async () => (await send(sql.count)).rows.map((row) => integer(row[0]))[0] ?? 0,
  };
}

function writer(send: Send): Writer {
  return {
    ...reader(send),
    async addNote(text) {
      await send(sql.add, [text]);
    },
  };
}

export const store: StoreDefinition<MyApiStore> = {
  name: 'my-api',
  sqlite: { migrations: new URL('migrations/sqlite/', import.meta.url), reader, writer },
  postgres: { migrations: new URL('migrations/postgres/', import.meta.url), reader, writer },
};
