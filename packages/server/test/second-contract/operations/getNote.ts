import { noteOf } from './notes.ts';
import type { Call, Result } from './operation.ts';

export async function getNote({ path, storage }: Call<'getNote'>): Promise<Result<'getNote'>> {
  return { status: 200, body: await noteOf(storage, path.noteId) };
}
