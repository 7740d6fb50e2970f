import { ApiError } from '../errors.ts';
import type { Operation } from './operation.ts';

export const getPet: Operation<'getPet'> = async ({ path, storage }) => {
  const pet = await storage.findPet(path.petId);
  if (pet === undefined) return new ApiError('pet_not_found', `No animal has the id ${path.petId}.`);
  return { status: 200, body: pet };
};
