import { basePath, type NewTreeHouse, type TreeHouse } from '@animal-store/contract';
import fc from 'fast-check';
import { defineAction, idAt, index, limit, listing } from '../action.ts';
import { assignedIds, bodyOf, etagOfBody, refusal, type Store } from '../store.ts';

const stored = new WeakMap<Store, TreeHouse[]>();

function treeHousesOf(store: Store): TreeHouse[] {
  const known = stored.get(store) ?? [];
  stored.set(store, known);
  return known;
}

function treeHouseOf(store: Store, treeHouseId: number): TreeHouse | undefined {
  return treeHousesOf(store).find(({ id }) => id === treeHouseId);
}

const newTreeHouse = fc.record({ name: fc.constantFrom('First', 'Second 🐈') }, { noNullPrototype: true });

type Version = 'current' | 'any' | 'other';
const version = fc.constantFrom<Version>('current', 'any', 'other');

/** The value of If-Match. The ETag of a version that was not seen yet is replaced by `*`. */
function ifMatchOf(store: Store, treeHouseId: number, wanted: Version): string {
  const found = treeHouseOf(store, treeHouseId);
  if (wanted === 'other') return '"other"';
  return (wanted === 'current' && found && etagOfBody(store.etags, bodyOf(found))) || '*';
}

function isCurrent({ etags }: Store, ifMatch: string, found: TreeHouse): boolean {
  return ifMatch === '*' || etags.bodies.get(ifMatch) === bodyOf(found);
}

export const createTreeHouse = defineAction<{ treeHouse: NewTreeHouse }>('createTreeHouse', {
  weight: 4,
  parts: { treeHouse: newTreeHouse },
  plan: (_, { treeHouse }) => ({
    call: { body: treeHouse },
    answer: (store, { freshId: id }) => {
      treeHousesOf(store).push({ id, ...treeHouse });
      assignedIds(store, 'createTreeHouse').push(id);
      return { status: 201, body: { id, ...treeHouse }, location: `${store.origin}${basePath}/tree-houses/${id}` };
    },
  }),
});

export const getTreeHouse = defineAction<{ treeHouse: number }>('getTreeHouse', {
  weight: 2,
  parts: { treeHouse: index },
  plan: (before, { treeHouse }) => {
    const treeHouseId = idAt(assignedIds(before, 'getTreeHouse'), treeHouse);
    return {
      call: { path: { treeHouseId } },
      answer: (store) => {
        const found = treeHouseOf(store, treeHouseId);
        return found === undefined ? refusal('tree_house_not_found') : { status: 200, body: { ...found } };
      },
    };
  },
});

export const listTreeHouses = defineAction<{ limit?: number }>('listTreeHouses', {
  weight: 2,
  parts: { limit },
  optional: ['limit'],
  plan: (_, { limit: most }) => listing(treeHousesOf, { limit: most }, () => true),
});

export const updateTreeHouse = defineAction<{ treeHouse: number; patch: NewTreeHouse; version: Version }>(
  'updateTreeHouse',
  {
    weight: 2,
    parts: { treeHouse: index, patch: newTreeHouse, version },
    plan: (before, { treeHouse, patch, version: wanted }) => {
      const treeHouseId = idAt(assignedIds(before, 'updateTreeHouse'), treeHouse);
      const ifMatch = ifMatchOf(before, treeHouseId, wanted);
      return {
        call: { path: { treeHouseId }, body: patch, headers: { 'If-Match': ifMatch } },
        answer: (store) => {
          const found = treeHouseOf(store, treeHouseId);
          if (found === undefined) return refusal('tree_house_not_found');
          if (!isCurrent(store, ifMatch, found)) return refusal('precondition_failed');
          Object.assign(found, patch);
          return { status: 200, body: { ...found } };
        },
      };
    },
  },
);

export const deleteTreeHouse = defineAction<{ treeHouse: number; version: Version }>('deleteTreeHouse', {
  weight: 1,
  parts: { treeHouse: index, version },
  plan: (before, { treeHouse, version: wanted }) => {
    const treeHouseId = idAt(assignedIds(before, 'deleteTreeHouse'), treeHouse);
    const ifMatch = ifMatchOf(before, treeHouseId, wanted);
    return {
      call: { path: { treeHouseId }, headers: { 'If-Match': ifMatch } },
      answer: (store) => {
        const found = treeHouseOf(store, treeHouseId);
        if (found === undefined) return refusal('tree_house_not_found');
        if (!isCurrent(store, ifMatch, found)) return refusal('precondition_failed');
        treeHousesOf(store).splice(treeHousesOf(store).indexOf(found), 1);
        return { status: 204, body: undefined };
      },
    };
  },
});
