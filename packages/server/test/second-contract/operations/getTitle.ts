import { noteOf } from './notes.ts';
import type { Call, Result } from './operation.ts';

export async function getTitle({ path, storage }: Call<'getTitle'>): Promise<Result<'getTitle'>> {
  return { status: 200, body: (await noteOf(storage, path.noteId)).title };
}
