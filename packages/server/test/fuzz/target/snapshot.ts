import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

/** The tables about callers, which refused requests change as well: some at once, others within ten seconds. */
const tablesOfCallers = new Set(['keys', 'secrets', 'usage']);

/** Reads a database file while the server uses it. */
export function openSnapshots(file: string): { take: () => string; close: () => void } {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !tablesOfCallers.has(name));
  const statements = tables.map((table) => database.prepare(`SELECT * FROM "${table}"`));

  /** A hash of every row that requests can add or change. It stays the same only if nothing was written. */
  function take(): string {
    const hash = createHash('sha256');
    for (const statement of statements) {
      statement.setReturnArrays(true);
      hash.update(JSON.stringify(statement.all()));
    }
    return hash.digest('hex');
  }

  return { take, close: () => database.close() };
}
