import type { Call, Reply } from '../calls/operation.ts';
import { ApiError } from '../errors.ts';

export async function getPet({ path, storage }: Call<'getPet'>): Promise<Reply<'getPet'>> {
  const pet = await storage.findPet(path.petId);
  if (pet === undefined) return new ApiError('pet_not_found', `No animal has the id ${path.petId}.`);
  return { status: 200, body: pet };
}
