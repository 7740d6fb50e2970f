import type { PetStatus } from '@animal-store/contract';
import fc from 'fast-check';
import { bodyOf, etagOfBody } from '../store/etags.ts';
import { refusal } from '../store/expected.ts';
import type { Store } from '../store/store.ts';
import { defineAction, idAt, index } from './action.ts';
import { categoryId, hasPlacedOrder, petName, petOf, petStatus } from './pets.ts';

type Patch = { name?: string; categoryId?: number; status?: PetStatus | null };

/** The value of If-Match: the current ETag if it was seen, the ETag of another body, `*`, no header, or an ETag of no version. */
type Version = 'current' | 'other' | 'any' | 'none' | 'weak';

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
    version: fc.constantFrom('current', 'current', 'current', 'any', 'other', 'none', 'weak'),
  },
  plan: (before, { pet, patch: changes, version }) => {
    const petId = idAt(before.petIds, pet);
    const ifMatch = ifMatchOf(before, petId, version);
    return {
      call: {
        path: { petId },
        body: changes,
        headers: ifMatch === undefined ? {} : { 'If-Match': ifMatch },
      },
      ...(ifMatch === undefined ? { refused: refusal('precondition_required') } : {}),
      answer: (store) => {
        const found = petOf(store, petId);
        if (found === undefined) return refusal('pet_not_found');
        const isCurrent = ifMatch === '*' || store.etags.bodies.get(ifMatch ?? '') === bodyOf(found);
        if (!isCurrent) return refusal('precondition_failed');
        const { status = null, ...others } = { ...found, ...changes };
        if (status !== (found.status ?? null) && hasPlacedOrder(store, petId)) return refusal('pet_has_order');
        const updated = status === null ? others : { ...others, status };
        store.pets = store.pets.map((candidate) => (candidate.id === petId ? updated : candidate));
        return { status: 200, body: { ...updated } };
      },
    };
  },
});

function ifMatchOf(store: Store, petId: number, version: Version): string | undefined {
  const found = petOf(store, petId);
  const current = found === undefined ? undefined : etagOfBody(store.etags, bodyOf(found));
  if (version === 'none') return undefined;
  if (version === 'any' || (version === 'current' && current === undefined)) return '*';
  if (version === 'current') return current;
  if (version === 'weak') return `W/${current ?? '"weak"'}`;
  return [...store.etags.bodies.keys()].findLast((etag) => etag !== current) ?? '"other"';
}
