import { checkIfMatch } from '@contract-first/service';
import type { Call, Result } from './operation.ts';
import { isOrdered } from './orders.ts';
import { petHasOrder, petNotFound } from './pets.ts';

export async function deletePet({ path, header, storage, clock }: Call<'deletePet'>): Promise<Result<'deletePet'>> {
  const pet = await storage.findPet(path.petId);
  if (pet === undefined) return petNotFound(path.petId);
  const refusal = checkIfMatch(header['If-Match'], pet, [pet]);
  if (refusal !== undefined) return refusal;
  if (await isOrdered(storage, pet.id, clock())) return petHasOrder(pet.id);
  await storage.deletePet(pet.id);
  return { status: 204 };
}
