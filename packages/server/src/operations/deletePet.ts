import type { Call, Result } from './operation.ts';
import { petHasOrder, petNotFound } from './pets.ts';

export async function deletePet({ path, storage }: Call<'deletePet'>): Promise<Result<'deletePet'>> {
  const pet = await storage.findPet(path.petId);
  if (pet === undefined) return petNotFound(path.petId);
  if (await storage.hasPlacedOrder(pet.id)) return petHasOrder(pet.id);
  await storage.deletePet(pet.id);
  return { status: 204 };
}
