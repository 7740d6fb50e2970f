import { enumerations, type NewPet, type Pet } from '@animal-store/contract';
import fc, { type Arbitrary } from 'fast-check';
import type { Store } from '../store/store.ts';

export const petName = fc.constantFrom('Rex', "Mia's", 'Zoë 🐈');
export const categoryId = fc.constantFrom(3, -1, Number.MAX_SAFE_INTEGER);
export const petStatus = fc.constantFrom(...enumerations.PetStatus);

/** Mostly animals that can be ordered. */
export const newPet: Arbitrary<NewPet> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record(
      { name: petName, categoryId, status: fc.constant('available' as const) },
      { noNullPrototype: true },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record(
      { name: petName, categoryId, status: petStatus },
      { requiredKeys: ['name', 'categoryId'], noNullPrototype: true },
    ),
  },
);

export function petOf({ pets }: Store, petId: number): Pet | undefined {
  return pets.find(({ id }) => id === petId);
}

/**
 * Whether the animal has a placed order, so that it can be neither deleted nor given another status. An order that has expired ends as
 * soon as another request needs its animal.
 */
export function hasPlacedOrder(store: Store, petId: number): boolean {
  const order = store.orders.find((candidate) => candidate.petId === petId && candidate.status === 'placed');
  if (order === undefined || store.now < Date.parse(order.expiresAt)) return order !== undefined;
  order.status = 'expired';
  store.pets = store.pets.map((pet) => (pet.id === petId ? { ...pet, status: 'available' } : pet));
  return false;
}
