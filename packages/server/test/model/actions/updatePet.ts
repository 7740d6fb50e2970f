import type { PetStatus } from '@animal-store/contract';
import fc from 'fast-check';
import { refusal } from '../store/expected.ts';
import { assignedIds } from '../store/ids.ts';
import { defineAction, idAt, index } from './action.ts';
import {
  categoryId,
  hasPlacedOrder,
  ifMatchOf,
  isCurrent,
  petName,
  petOf,
  petStatus,
  type Version,
  version,
} from './pets.ts';

type Patch = { name?: string; categoryId?: number; status?: PetStatus | null };

const patch = fc
  .record(
    { name: petName, categoryId, status: fc.oneof(petStatus, fc.constant(null)) },
    { requiredKeys: [], noNullPrototype: true },
  )
  .filter((properties) => Object.keys(properties).length > 0);

export const action = defineAction<{ pet: number; patch: Patch; version: Version }>('updatePet', {
  weight: 4,
  parts: {
    pet: index,
    patch,
    version,
  },
  plan: (before, { pet, patch: changes, version: wanted }) => {
    const petId = idAt(assignedIds(before, 'updatePet'), pet);
    const headers = ifMatchOf(before, petId, wanted);
    const { 'If-Match': ifMatch } = headers;
    return {
      call: {
        path: { petId },
        body: changes,
        headers,
      },
      ...(ifMatch === undefined ? { refused: refusal('precondition_required') } : {}),
      answer: (store) => {
        const found = petOf(store, petId);
        if (found === undefined) return refusal('pet_not_found');
        if (!isCurrent(store, ifMatch ?? '', found)) return refusal('precondition_failed');
        const { status = null, ...others } = { ...found, ...changes };
        if (status !== (found.status ?? null) && hasPlacedOrder(store, petId)) return refusal('pet_has_order');
        const updated = status === null ? others : { ...others, status };
        store.pets = store.pets.map((candidate) => (candidate.id === petId ? updated : candidate));
        return { status: 200, body: { ...updated } };
      },
    };
  },
});
