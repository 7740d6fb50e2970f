import type { Note } from '../api-contract.ts';
import { ApiError } from './operation.ts';
import type { Reader } from './storage/store.ts';

/** @throws ApiError 404 */
export async function noteOf(storage: Reader, id: number): Promise<Note> {
  const note = await storage.findNote(id);
  if (note === undefined) throw new ApiError('note_not_found', `No note has the ID ${id}.`);
  return note;
}

/** Every note, page by page. */
export async function* allNotes(storage: Reader, signal: AbortSignal): AsyncGenerator<Note> {
  let after = 0;
  while (!signal.aborted) {
    const page = await storage.listNotes({ after, limit: 100 });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

export async function* asCsv(notes: AsyncIterable<Note>): AsyncGenerator<string> {
  yield 'id,title\n';
  for await (const { id, title } of notes) yield `${id},"${title.replaceAll('"', '""')}"\n`;
}
