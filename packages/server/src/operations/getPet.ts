import { ApiError } from '../contract/api-error.ts';
import type { Call, Result } from './operation.ts';

export async function getPet({ path, storage }: Call<'getPet'>): Promise<Result<'getPet'>> {
  const pet = await storage.findPet(path.petId);
  if (pet === undefined) return new ApiError('pet_not_found', `No animal has the id ${path.petId}.`);
  return { status: 200, body: pet };
}
