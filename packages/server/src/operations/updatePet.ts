import type { Pet } from '@animal-store/contract';
import { checkIfMatch } from '@contract-first/service';
import type { Call, Result } from './operation.ts';
import { isOrdered } from './orders.ts';
import { petHasOrder, petNotFound } from './pets.ts';

export async function updatePet({
  path,
  header,
  body,
  storage,
  clock,
}: Call<'updatePet'>): Promise<Result<'updatePet'>> {
  const pet = await storage.findPet(path.petId);
  if (pet === undefined) return petNotFound(path.petId);
  // Also the ETag of `GET /pets?id=…`, because the GET of one pet is deprecated.
  const refusal = checkIfMatch(header['If-Match'], pet, [pet]);
  if (refusal !== undefined) return refusal;
  const { status, ...others } = { ...pet, ...body };
  const updated: Pet = status === null || status === undefined ? others : { ...others, status };
  if (updated.status !== pet.status && (await isOrdered(storage, pet.id, clock()))) return petHasOrder(pet.id);
  await storage.replacePet(updated);
  return { status: 200, body: updated };
}
