import type { Operation } from './operation.ts';

export const createPet: Operation<'createPet'> = async ({ body, storage, urlOf }) => {
  const pet = await storage.addPet(body);
  return { status: 201, body: pet, headers: { Location: urlOf('getPet', { path: { petId: pet.id } }) } };
};
