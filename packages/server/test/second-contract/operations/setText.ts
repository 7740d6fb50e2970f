import { noteOf } from './notes.ts';
import type { Call, Result } from './operation.ts';

export async function setText({ path, body, contentType, storage }: Call<'setText'>): Promise<Result<'setText'>> {
  const note = await noteOf(storage, path.noteId);
  await storage.replaceNote({ ...note, text: contentType === 'text/markdown' ? body.replaceAll('*', '') : body });
  return { status: 204 };
}
