/** The smallest store with which the storage of every API is tested: notes. */
import { timeouts } from '../../common/time.ts';
import type { MigrateOption } from '../migrations/migrations.ts';
import { openStorageWith } from '../open.ts';
import { integer, type Row, text, unexpected } from '../rows.ts';
import type * as generic from '../storage.ts';
import { type Send, type StoreDefinition, statements } from '../store-definition.ts';

export type Note = { id: number; text: string; state?: string };

interface Reader {
  findNote(id: number): Promise<Note | undefined>;
  /** All notes by ascending ID. */
  listNotes(): Promise<Note[]>;
}

interface Writer extends Reader {
  addNote(note: Omit<Note, 'id'>): Promise<Note>;
  setState(id: number, state: string): Promise<void>;
}

export type NoteStore = { reader: Reader; writer: Writer };
export type Storage = generic.Storage<NoteStore>;
export type Transaction = generic.Transaction<NoteStore>;

function toNote(row: Row): Note {
  const note = { id: integer(row[0]), text: text(row[1]) };
  return row[2] === null ? note : { ...note, state: text(row[2]) };
}

const sql = statements('notes', {
  find: 'SELECT id, text, state FROM notes WHERE id = $1',
  lock: 'SELECT id, text, state FROM notes WHERE id = $1 FOR NO KEY UPDATE',
  list: 'SELECT id, text, state FROM notes ORDER BY id',
  add: 'INSERT INTO notes (text, state) VALUES ($1, $2) RETURNING id, text, state',
  setState: 'UPDATE notes SET state = $1 WHERE id = $2',
});

const reader = (send: Send, find = sql.find): Reader => ({
  findNote: async (id) => {
    const [row] = (await send(find, [id])).rows;
    return row && toNote(row);
  },
  listNotes: async () => (await send(sql.list)).rows.map(toNote),
});

const writer = (send: Send, find = sql.find): Writer => ({
  ...reader(send, find),
  addNote: async ({ text, state = null }: { text: string; state?: string | null }) =>
    toNote((await send(sql.add, [text, state])).rows[0] ?? unexpected('a new note')),
  setState: async (id, state) => void (await send(sql.setState, [state, id])),
});

export const noteStore: StoreDefinition<NoteStore> = {
  name: 'notes',
  sqlite: { migrations: new URL('migrations/sqlite/', import.meta.url), reader, writer },
  postgres: {
    migrations: new URL('migrations/postgres/', import.meta.url),
    reader,
    writer: (send) => writer(send, sql.lock),
  },
};

/**
 * Makes this process wait for PostgreSQL as long as a slow machine needs, until it is disposed. For tests that are not about
 * timeouts.
 */
export function waitLong(): Disposable {
  const usual = { ...timeouts };
  Object.assign(timeouts, {
    count: 50_000,
    statement: 70_000,
    wait: 90_000,
    connect: 90_000,
    idleInTransaction: 90_000,
  });
  return { [Symbol.dispose]: () => void Object.assign(timeouts, usual) };
}

export function openNotes(databaseUrl: string, option?: MigrateOption): Promise<Storage> {
  return openStorageWith(noteStore, databaseUrl, option);
}
