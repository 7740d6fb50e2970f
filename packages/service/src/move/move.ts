import type { MovedTable, Source, Target } from './databases.ts';

/** The move cannot be done. The message says what to do. */
export class MoveError extends Error {
  override name = 'MoveError';
}

/** Rows in one statement. */
const BATCH = 10_000;

/** Called after each batch with the number of rows of a table that are moved, and their total. */
export type OnProgress = (table: string, moved: number, total: number) => void;

/**
 * Moves all tables, compares both sides, and seals the source. After an interruption, the next call continues.
 *
 * @param targetName the target for the seal, without credentials
 * @returns the number of rows in the target; undefined if an earlier move was complete
 * @throws MoveError if the tables differ, or the target has other data or differs from the source at the end
 */
export async function move(
  source: Source,
  target: Target,
  targetName: string,
  onProgress: OnProgress,
): Promise<number | undefined> {
  const tables = source.tables();
  assertSameColumns(tables, target.columns);
  const movedTo = source.movedTo();
  const state = await target.begin(tables, source.identity(), movedTo === undefined);
  if (state === 'done') {
    // Only a move of an earlier version left its source open, so servers may have written to it since.
    if (movedTo === undefined) {
      for (const table of tables) await compare(source, target, table);
      source.seal(tables, targetName);
    }
    return undefined;
  }
  if (movedTo !== undefined && state !== 'begun') {
    throw new MoveError(`The source was already moved to ${movedTo}. Nothing was moved to this target.`);
  }
  if (state === 'other data') {
    throw new MoveError(
      'The target already contains other data. Create an empty database with CREATE DATABASE, and move to that one.',
    );
  }
  let total = 0;
  for (const table of tables) total += await moveTable(source, target, table, onProgress);
  for (const table of tables) await compare(source, target, table);
  if (movedTo === undefined) source.seal(tables, targetName);
  await target.end(tables);
  return total;
}

/** Each table and column must exist in both engines. Otherwise the move would silently leave out its data. */
function assertSameColumns(tables: readonly MovedTable[], target: ReadonlyMap<string, readonly string[]>): void {
  const listed = (name: string, columns: readonly string[]) => columns.map((column) => `${name}.${column}`);
  const here = tables.flatMap(({ name, columns }) => listed(name, columns));
  const there = [...target].flatMap(([name, columns]) => listed(name, columns));
  const problems = [
    ...here.filter((column) => !there.includes(column)).map((column) => `${column} is missing in PostgreSQL`),
    ...there
      .filter((column) => !here.includes(column))
      .map((column) => `${column} is missing in the embedded database`),
    ...tables.filter(({ key }) => key === '').map(({ name }) => `${name} has no primary key`),
  ];
  if (problems.length === 0) return;
  throw new MoveError(
    `The tables of the two databases differ: ${problems.join(', ')}. Nothing was moved. Add a migration that makes them equal.`,
  );
}

async function moveTable(source: Source, target: Target, table: MovedTable, onProgress: OnProgress): Promise<number> {
  const total = source.count(table);
  const after = table.hasAscendingIds ? await target.lastId(table) : 0;
  let moved = table.hasAscendingIds ? await target.count(table) : 0;
  onProgress(table.name, moved, total);
  for (const batch of source.batches(table, after, BATCH)) {
    await target.write(table, batch);
    moved += batch.length;
    onProgress(table.name, moved, total);
  }
  return moved;
}

async function compare(source: Source, target: Target, table: MovedTable): Promise<void> {
  const [here, there] = [source.count(table), await target.count(table)];
  if (here === there && source.checksum(table) === (await target.checksum(table))) return;
  const counts = `source: ${here.toLocaleString('en')} rows, target: ${there.toLocaleString('en')} rows`;
  throw new MoveError(
    `The table ${table.name} differs between source and target (${counts}), because one of them changed after the first attempt. Stop all servers, create a new target database, and move again.`,
  );
}

const WIDTH = 30;

/** The output for progress. A terminal shows one line that is updated, a file gets a line for each tenth. */
export type Screen = { isTTY?: boolean | undefined; write: (text: string) => unknown };

/** A bar for each table. */
export function progressBar(screen: Screen): OnProgress {
  let shown = '';
  return (table, moved, total) => {
    const share = total === 0 ? 1 : moved / total;
    const full = Math.floor(share * WIDTH);
    const bar = `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)}`;
    const percent = `${Math.floor(share * 100)}`.padStart(3);
    const counts = `${moved.toLocaleString('en')} of ${total.toLocaleString('en')}`;
    if (screen.isTTY === true) {
      screen.write(`\r${table.padEnd(13)}${bar} ${percent} %  ${counts}${moved === total ? '\n' : ''}`);
      return;
    }
    const step = `${table} ${Math.floor(share * 10)}`;
    if (step === shown) return;
    shown = step;
    screen.write(`${table}: ${percent.trim()} %, ${counts}\n`);
  };
}
