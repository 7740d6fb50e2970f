import { refusal } from '../store/expected.ts';
import { assignedIds } from '../store/ids.ts';
import { defineAction, idAt, index } from './action.ts';
import { petOf } from './pets.ts';

export const action = defineAction<{ pet: number }>('getPet', {
  weight: 3,
  parts: { pet: index },
  plan: (before, { pet }) => {
    const petId = idAt(assignedIds(before, 'getPet'), pet);
    return {
      call: { path: { petId } },
      answer: (store) => {
        const found = petOf(store, petId);
        return found === undefined ? refusal('pet_not_found') : { status: 200, body: { ...found } };
      },
    };
  },
});
