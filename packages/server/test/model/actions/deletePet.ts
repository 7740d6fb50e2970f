import { refusal } from '../store/expected.ts';
import { defineAction, idAt, index } from './action.ts';
import { hasPlacedOrder, petOf } from './pets.ts';

/** The ID stays in the list of assigned IDs, because it is never reused. */
export const action = defineAction<{ pet: number }>('deletePet', {
  weight: 3,
  parts: { pet: index },
  plan: ({ petIds }, { pet }) => {
    const petId = idAt(petIds, pet);
    return {
      call: { path: { petId } },
      answer: (store) => {
        if (petOf(store, petId) === undefined) return refusal('pet_not_found');
        if (hasPlacedOrder(store, petId)) return refusal('pet_has_order');
        store.pets = store.pets.filter(({ id }) => id !== petId);
        return { status: 204, body: undefined };
      },
    };
  },
});
