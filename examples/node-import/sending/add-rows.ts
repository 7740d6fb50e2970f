import { defaults, type NewPet } from '@animal-store/client';
import { checkRow } from '../csv/check-row.ts';
import { readRows } from '../csv/read-rows.ts';
import { type Adding, addRow, type Outcome } from './add-row.ts';
import { createRowKeys } from './row-keys.ts';

type Job = { line: number; pet: NewPet; key: string };

/**
 * Adds all valid rows of a file, several at a time, and reports the outcome of each.
 *
 * @throws ImportError if the import cannot continue; the reason of the signal if that aborts
 */
export async function addRows(
  file: string,
  adding: Adding,
  onSettled: (line: number, outcome: Outcome) => void,
): Promise<void> {
  const jobs = jobsOf(file, adding.journal.importId);
  // A failure of one worker stops the others.
  const stop = new AbortController();
  const signal = AbortSignal.any([adding.signal, stop.signal]);
  const work = async () => {
    for await (const { line, pet, key } of jobs) {
      signal.throwIfAborted();
      onSettled(line, await addRow(pet, key, { ...adding, signal }));
    }
  };
  const workers = Array.from({ length: defaults.maxConcurrent }, () =>
    work().catch((error: unknown) => stop.abort(error)),
  );
  await Promise.all(workers);
  signal.throwIfAborted();
}

async function* jobsOf(file: string, importId: string): AsyncGenerator<Job, void> {
  const keyOf = createRowKeys(importId);
  for await (const row of readRows(file)) {
    const { pet } = checkRow(row);
    if (pet !== undefined) yield { line: row.line, pet, key: keyOf(pet) };
  }
}
