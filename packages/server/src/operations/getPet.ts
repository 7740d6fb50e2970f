import type { Call, Result } from './operation.ts';
import { petNotFound } from './pets.ts';

export async function getPet({ path, storage }: Call<'getPet'>): Promise<Result<'getPet'>> {
  const pet = await storage.findPet(path.petId);
  return pet === undefined ? petNotFound(path.petId) : { status: 200, body: pet };
}
