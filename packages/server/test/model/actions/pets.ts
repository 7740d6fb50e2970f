import { enumerations, type NewPet, type Pet } from '@animal-store/contract';
import fc, { type Arbitrary } from 'fast-check';
import { bodyOf, etagOfBody } from '../store/etags.ts';
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
 * The value of If-Match: the current ETag if it was seen, the ETag of a page with only this animal, the ETag of another body, `*`,
 * no header, or an ETag of no version.
 */
export type Version = 'current' | 'page' | 'other' | 'any' | 'none' | 'weak';

export const version: Arbitrary<Version> = fc.constantFrom(
  ...(['current', 'current', 'current', 'page', 'any', 'other', 'none', 'weak'] as const),
);

/** The headers that ask for a version of an animal. An ETag that was not seen yet is replaced by `*`. */
export function ifMatchOf(store: Store, petId: number, wanted: Version): { 'If-Match'?: string } {
  const found = petOf(store, petId);
  const seen = (body: unknown) => (found === undefined ? undefined : etagOfBody(store.etags, bodyOf(body)));
  const current = seen(found);
  const last = () => [...store.etags.bodies.keys()].findLast((etag) => etag !== current);
  const values: Record<Version, () => string | undefined> = {
    current: () => current ?? '*',
    page: () => seen([found]) ?? '*',
    other: () => last() ?? '"other"',
    any: () => '*',
    none: () => undefined,
    weak: () => `W/${current ?? '"weak"'}`,
  };
  const value = values[wanted]();
  return value === undefined ? {} : { 'If-Match': value };
}

/**
 * Whether If-Match names the current version. The ETag of a page with only this animal does so too, because callers read single
 * animals with `GET /pets?id=…`.
 */
export function isCurrent({ etags }: Store, ifMatch: string, pet: Pet): boolean {
  const named = etags.bodies.get(ifMatch);
  return ifMatch === '*' || (named !== undefined && [bodyOf(pet), bodyOf([pet])].includes(named));
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
