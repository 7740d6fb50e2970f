import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isUint8Array } from 'node:util/types';
import { type Row, usageColumns } from '../rows.ts';
import type { Answer, Run, SqlValue, Statement, Value } from '../store-definition.ts';
import { type Sender, tableSql } from '../tables.ts';

export const sql = tableSql({
  now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  position: 'rowid',
  lesser: 'min',
  greater: 'max',
  hashes: '$1',
  newUsage: 'VALUES ($1, $2, $3, $4, $5, $6, $7)',
  keys: {},
  usage: { find: `SELECT ${usageColumns} FROM usage WHERE key_id = $1` },
  idempotency: {
    deleteOld: `DELETE FROM idempotency_records
      WHERE rowid IN (SELECT rowid FROM idempotency_records WHERE created_at < $1 LIMIT $2)`,
  },
});

/** Sends statements on one connection, which prepares each of them once. */
export function senderOn(database: DatabaseSync): (run: Run) => Sender {
  const prepared = new Map<string, StatementSync>();
  function prepare(statement: Statement): StatementSync {
    const known = prepared.get(statement.name);
    if (known !== undefined) return known;
    const added = database.prepare(textOf(statement), { returnArrays: true });
    prepared.set(statement.name, added);
    return added;
  }
  function execute(statement: Statement, values: readonly Value[]): Answer {
    const known = prepare(statement);
    const bound = values.map(boundValue);
    if (!returnsRows.test(statement.text)) return { rows: [], count: Number(known.run(...bound).changes) };
    const rows = known.all(...bound);
    return { rows, count: rows.length };
  }
  return (run) => ({
    send: (statement, values = []) => run(() => execute(statement, values)),
    // One search of the index for each row costs less than one statement with a list of any length.
    sendAll: (statement, all) =>
      run(() => {
        const rows: Row[] = [];
        let count = 0;
        for (const values of all) {
          const answer = execute(statement, values);
          rows.push(...answer.rows);
          count += answer.count;
        }
        return { rows, count };
      }),
  });
}

const returnsRows = /^SELECT\b|\bRETURNING\b/;

function boundValue(value: Value): SqlValue {
  return typeof value === 'object' && value !== null && !isUint8Array(value) ? JSON.stringify(value) : value;
}

/** A statement as SQLite reads it: `node:sqlite` binds values in their order only to parameters such as `?1`. */
export function textOf({ text }: Statement): string {
  return text.replaceAll('$', '?');
}
