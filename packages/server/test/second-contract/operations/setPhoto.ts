import { noteOf } from './notes.ts';
import type { Call, Result } from './operation.ts';

export async function setPhoto({ path, body, storage }: Call<'setPhoto'>): Promise<Result<'setPhoto'>> {
  await noteOf(storage, path.noteId);
  await storage.setPhoto(path.noteId, body);
  return { status: 204 };
}
