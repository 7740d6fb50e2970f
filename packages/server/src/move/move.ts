import { isDeepStrictEqual } from 'node:util';
import { MoveError } from './move-error.ts';
import type { Source } from './source.ts';
import { type MovedTable, movedTables } from './tables.ts';
import type { Target } from './target.ts';

/** Rows in one statement. */
const BATCH = 10_000;

/** Told after each batch: how many rows of a table are there, of how many. */
export type OnProgress = (table: string, moved: number, total: number) => void;

/**
 * Moves everything, and compares what is there at the end. After a stop, however sudden, it goes on where it was.
 *
 * @returns the rows that there are now; undefined when all had been moved before
 * @throws MoveError when the target has other data, or is not the same at the end
 */
export async function move(source: Source, target: Target, onProgress: OnProgress): Promise<number | undefined> {
  const state = await target.begin(source.identity());
  if (state === 'done') return undefined;
  if (state === 'other data') {
    throw new MoveError('The target holds other data already. Move into an empty database: CREATE DATABASE makes one.');
  }
  let total = 0;
  for (const table of movedTables) total += await moveTable(source, target, table, onProgress);
  for (const table of movedTables) await compare(source, target, table);
  await target.end();
  return total;
}

async function moveTable(source: Source, target: Target, table: MovedTable, onProgress: OnProgress): Promise<number> {
  const total = source.count(table);
  const after = table.growsAtTheEnd ? await target.last(table) : 0;
  let moved = table.growsAtTheEnd ? await target.count(table) : 0;
  onProgress(table.name, moved, total);
  for (const batch of source.batches(table, after, BATCH)) {
    await target.write(table, batch);
    moved += batch.length;
    onProgress(table.name, moved, total);
  }
  return moved;
}

async function compare(source: Source, target: Target, table: MovedTable): Promise<void> {
  const [here, there] = [source.counts(table), await target.counts(table)];
  const plain = (rows: readonly object[]) => rows.map((row) => Object.values(row));
  if (isDeepStrictEqual(plain(here), plain(there))) return;
  throw new MoveError(
    `The table ${table.name} is not the same on both sides: the source changed after the first try. Make the target anew, and move again while no server runs.`,
  );
}
