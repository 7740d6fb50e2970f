import { DatabaseSync } from 'node:sqlite';
import type { Row } from '../storage/values.ts';
import { integer } from '../storage/values.ts';
import type { MovedTable } from './tables.ts';

/** How long another process may hold the lock of the file, in milliseconds. */
const PATIENCE = 5_000;

export type Source = ReturnType<typeof openSource>;

/** An embedded database that is up to date. While it is open nobody else writes to it, so nothing is missed. */
export function openSource(path: string) {
  const database = new DatabaseSync(path, { timeout: PATIENCE });
  database.exec('BEGIN IMMEDIATE');
  const rows = (sql: string): Row[] => database.prepare(sql, { returnArrays: true }).all();

  return {
    /** What no two databases have in common: the time at which this one was made. */
    identity: () => String(rows('SELECT applied_at FROM migrations WHERE number = 1')[0]?.[0]),
    count: ({ name }: MovedTable) => integer(rows(`SELECT count(*) FROM ${name}`)[0]?.[0]),
    /** How many rows there are of each value, such as `sold: 3`; of all together where none is named. */
    counts: ({ name, countedBy = "''" }: MovedTable) =>
      rows(`SELECT ${countedBy}, count(*) FROM ${name} GROUP BY 1 ORDER BY 1`),
    /** The rows, in batches, in the order in which they came; those after an id where one is given. */
    *batches({ name, columns, growsAtTheEnd }: MovedTable, after: number, size: number): Generator<Row[]> {
      const names = Object.keys(columns).join(', ');
      // Tables without a rowid have few rows; their order says nothing.
      const order = growsAtTheEnd ? 'WHERE id > ? ORDER BY id' : name === 'usage' ? '' : 'ORDER BY rowid';
      const select = database.prepare(`SELECT ${names} FROM ${name} ${order}`, { returnArrays: true });
      let batch: Row[] = [];
      for (const row of growsAtTheEnd ? select.iterate(after) : select.iterate()) {
        batch.push(Object.values(row));
        if (batch.length < size) continue;
        yield batch;
        batch = [];
      }
      if (batch.length > 0) yield batch;
    },
    close: () => database.close(),
  };
}
