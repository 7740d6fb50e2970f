import { noteOf } from './notes.ts';
import type { Call, Result } from './operation.ts';

export async function replaceNote({ path, body, storage }: Call<'replaceNote'>): Promise<Result<'replaceNote'>> {
  const { id } = await noteOf(storage, path.noteId);
  const note = { ...body, id };
  await storage.replaceNote(note);
  return { status: 200, body: await noteOf(storage, id) };
}
