import fc from 'fast-check';
import { refusal } from '../store/expected.ts';
import { assignedIds } from '../store/ids.ts';
import { defineAction, idAt, index } from './action.ts';
import { hasPlacedOrder, ifMatchOf, isCurrent, petOf, type Version, version } from './pets.ts';

/** The ID stays in the list of assigned IDs, because it is never reused. */
export const action = defineAction<{ pet: number; version: Version }>('deletePet', {
  weight: 3,
  // Mostly without If-Match, which is optional here.
  parts: { pet: index, version: fc.oneof({ weight: 2, arbitrary: fc.constant('none' as const) }, version) },
  plan: (before, { pet, version: wanted }) => {
    const petId = idAt(assignedIds(before, 'deletePet'), pet);
    const headers = ifMatchOf(before, petId, wanted);
    const { 'If-Match': ifMatch } = headers;
    return {
      call: { path: { petId }, headers },
      answer: (store) => {
        const found = petOf(store, petId);
        if (found === undefined) return refusal('pet_not_found');
        if (ifMatch !== undefined && !isCurrent(store, ifMatch, found)) return refusal('precondition_failed');
        if (hasPlacedOrder(store, petId)) return refusal('pet_has_order');
        store.pets = store.pets.filter(({ id }) => id !== petId);
        return { status: 204, body: undefined };
      },
    };
  },
});
