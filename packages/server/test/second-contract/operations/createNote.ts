import type { Call, Result } from './operation.ts';

export async function createNote({ body, storage, urlOf }: Call<'createNote'>): Promise<Result<'createNote'>> {
  const note = await storage.addNote(body);
  return { status: 201, body: note, headers: { Location: urlOf('getNote', { path: { noteId: note.id } }) } };
}
