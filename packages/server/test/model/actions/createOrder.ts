import { basePath, limits } from '@animal-store/contract';
import { refusal } from '../store/expected.ts';
import { assignedIds } from '../store/ids.ts';
import { defineAction, idAt, index } from './action.ts';
import { hasPlacedOrder, petOf } from './pets.ts';

export const action = defineAction<{ pet: number }>('createOrder', {
  weight: 8,
  parts: { pet: index },
  plan: (before, { pet }) => {
    const petId = idAt(assignedIds(before, 'createPet'), pet);
    return {
      call: { body: { petId } },
      answer: (store, { freshId: id, by }) => {
        if (petOf(store, petId) === undefined) return refusal('pet_not_found');
        if (hasPlacedOrder(store, petId) || petOf(store, petId)?.status !== 'available')
          return refusal('pet_not_available');
        store.pets = store.pets.map((pet) => (pet.id === petId ? { ...pet, status: 'pending' } : pet));
        const [createdAt = '', expiresAt = ''] = [0, limits.orderSeconds].map((seconds) =>
          new Date(store.now + seconds * 1_000).toISOString(),
        );
        const placed = { id, petId, status: 'placed' as const, createdAt, expiresAt };
        store.orders.push({ ...placed, by });
        assignedIds(store, 'createOrder').push(id);
        return { status: 201, body: placed, location: `${store.origin}${basePath}/store/orders/${id}` };
      },
    };
  },
});
