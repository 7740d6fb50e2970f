import { basePath } from '@animal-store/contract';
import { refusal } from '../store/expected.ts';
import { assignedIds } from '../store/ids.ts';
import { defineAction, idAt, index } from './action.ts';
import { petOf } from './pets.ts';

export const action = defineAction<{ pet: number }>('createOrder', {
  weight: 8,
  parts: { pet: index },
  plan: (before, { pet }) => {
    const petId = idAt(assignedIds(before, 'createPet'), pet);
    return {
      call: { body: { petId } },
      answer: (store, { freshId: id, by }) => {
        const found = petOf(store, petId);
        if (found === undefined) return refusal('pet_not_found');
        if (found.status !== 'available') return refusal('pet_not_available');
        found.status = 'pending';
        const placed = { id, petId, status: 'placed' as const, createdAt: new Date(store.now).toISOString() };
        store.orders.push({ ...placed, by });
        assignedIds(store, 'createOrder').push(id);
        return { status: 201, body: placed, location: `${store.origin}${basePath}/store/orders/${id}` };
      },
    };
  },
});
