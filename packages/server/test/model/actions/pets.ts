import { basePath, enumerations, type NewPet, type Pet, type PetStatus } from '@animal-store/contract';
import fc, { type Arbitrary } from 'fast-check';
import { defineAction, idAt, index, limit, listing } from '../action.ts';
import { assignedIds, bodyOf, etagOfBody, refusal, type Store } from '../store.ts';

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

export const createPet = defineAction<{ pet: NewPet }>('createPet', {
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

export const getPet = defineAction<{ pet: number }>('getPet', {
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

type Filters = { limit?: number; status?: PetStatus; pets?: number[]; categoryId?: number };

export const listPets = defineAction<Filters>('listPets', {
  weight: 4,
  parts: { limit, status: petStatus, pets: fc.uniqueArray(index, { minLength: 1, maxLength: 4 }), categoryId },
  optional: ['limit', 'status', 'pets', 'categoryId'],
  plan: (before, { pets, limit: most, status, categoryId: category }) => {
    const id =
      pets === undefined ? undefined : [...new Set(pets.map((at) => idAt(assignedIds(before, 'listPets'), at)))];
    return listing(
      (store) => store.pets,
      { limit: most, status, id, categoryId: category },
      (pet) =>
        (status === undefined || pet.status === status) &&
        (id === undefined || id.includes(pet.id)) &&
        (category === undefined || pet.categoryId === category),
    );
  },
});

type Patch = { name?: string; categoryId?: number; status?: PetStatus | null };

const patch = fc
  .record(
    { name: petName, categoryId, status: fc.oneof(petStatus, fc.constant(null)) },
    { requiredKeys: [], noNullPrototype: true },
  )
  .filter((properties) => Object.keys(properties).length > 0);

export const updatePet = defineAction<{ pet: number; patch: Patch; version: Version }>('updatePet', {
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

/** The ID stays in the list of assigned IDs, because it is never reused. */
export const deletePet = defineAction<{ pet: number; version: Version }>('deletePet', {
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
