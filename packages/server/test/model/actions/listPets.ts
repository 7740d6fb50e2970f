import type { PetStatus } from '@animal-store/contract';
import fc from 'fast-check';
import { assignedIds } from '../store/ids.ts';
import { defineAction, idAt, index, limit } from './action.ts';
import { listing } from './listing.ts';
import { categoryId, petStatus } from './pets.ts';

type Filters = { limit?: number; status?: PetStatus; pets?: number[]; categoryId?: number };

export const action = defineAction<Filters>('listPets', {
  weight: 4,
  parts: { limit, status: petStatus, pets: fc.uniqueArray(index, { minLength: 1, maxLength: 4 }), categoryId },
  optional: ['limit', 'status', 'pets', 'categoryId'],
  plan: (before, { pets, limit: most, status, categoryId: category }) => {
    const id =
      pets === undefined ? undefined : [...new Set(pets.map((at) => idAt(assignedIds(before, 'listPets'), at)))];
    return listing(
      (store) => store.pets,
      { limit: most, status, id, categoryId: category },
      (pet) =>
        (status === undefined || pet.status === status) &&
        (id === undefined || id.includes(pet.id)) &&
        (category === undefined || pet.categoryId === category),
    );
  },
});
