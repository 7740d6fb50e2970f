import { basePath, type NewPet } from '@animal-store/contract';
import { assignedIds } from '../store/ids.ts';
import { defineAction } from './action.ts';
import { newPet } from './pets.ts';

export const action = defineAction<{ pet: NewPet }>('createPet', {
  weight: 8,
  parts: { pet: newPet },
  plan: (_, { pet }) => ({
    call: { body: pet },
    answer: (store, { freshId: id }) => {
      store.pets.push({ id, ...pet });
      assignedIds(store, 'createPet').push(id);
      return { status: 201, body: { id, ...pet }, location: `${store.origin}${basePath}/pets/${id}` };
    },
  }),
});
