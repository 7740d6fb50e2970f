import type { Call, Result } from './operation.ts';

export async function createPet({ body, storage, urlOf }: Call<'createPet'>): Promise<Result<'createPet'>> {
  const pet = await storage.addPet(body);
  return { status: 201, body: pet, headers: { Location: urlOf('getPet', { path: { petId: pet.id } }) } };
}
