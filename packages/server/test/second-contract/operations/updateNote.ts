import { checkIfMatch } from '@contract-first/service';
import { noteOf } from './notes.ts';
import type { Call, Result } from './operation.ts';

export async function updateNote({ path, header, body, storage }: Call<'updateNote'>): Promise<Result<'updateNote'>> {
  const note = await noteOf(storage, path.noteId);
  const refusal = checkIfMatch(header['If-Match'], note);
  if (refusal !== undefined) return refusal;
  await storage.replaceNote({ ...note, ...body });
  return { status: 200, body: await noteOf(storage, note.id) };
}
