import { ApiError, type Call, type Result } from './operation.ts';

export async function getPhoto({ path, storage }: Call<'getPhoto'>): Promise<Result<'getPhoto'>> {
  const photo = await storage.findPhoto(path.noteId);
  if (photo === undefined) return new ApiError('note_not_found', `The note ${path.noteId} has no photo.`);
  return { status: 200, body: photo };
}
