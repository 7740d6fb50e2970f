import type { Note } from '../api-contract.ts';
import { allNotes, asCsv } from './notes.ts';
import type { Call, Result } from './operation.ts';

export async function exportNotes({
  query,
  accept,
  storage,
  signal,
}: Call<'exportNotes'>): Promise<Result<'exportNotes'>> {
  const notes = repeat(query.count, () => allNotes(storage, signal));
  if (accept === 'text/csv') return { status: 200, contentType: 'text/csv', body: asCsv(notes) };
  return { status: 200, contentType: 'application/x-ndjson', body: notes };
}

async function* repeat(count: number, make: () => AsyncIterable<Note>): AsyncGenerator<Note> {
  for (let done = 0; done < count; done += 1) yield* make();
}
