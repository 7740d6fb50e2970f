import { noteOf } from './notes.ts';
import type { Call, Result } from './operation.ts';

export async function deleteNote({ path, storage }: Call<'deleteNote'>): Promise<Result<'deleteNote'>> {
  await noteOf(storage, path.noteId);
  await storage.removeNote(path.noteId);
  return { status: 204 };
}
