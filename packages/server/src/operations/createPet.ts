import type { Call, Reply } from '../calls/operation.ts';

export async function createPet({ body, storage, urlOf }: Call<'createPet'>): Promise<Reply<'createPet'>> {
  const pet = await storage.addPet(body);
  return { status: 201, body: pet, headers: { Location: urlOf('getPet', { path: { petId: pet.id } }) } };
}
