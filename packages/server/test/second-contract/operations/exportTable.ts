import { allNotes, asCsv } from './notes.ts';
import type { Call, Result } from './operation.ts';

export async function exportTable({ storage, signal }: Call<'exportTable'>): Promise<Result<'exportTable'>> {
  return { status: 200, body: asCsv(allNotes(storage, signal)) };
}
