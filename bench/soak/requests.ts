import { randomUUID } from 'node:crypto';
import { basePath, enumerations, operations } from '@animal-store/contract';

/** One request of the load, and its expected statuses. */
export type SoakRequest = {
  kind: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  expected: readonly number[];
};

export type Keys = { unlimited: string; free: string };

/** Gives a number from 0 up to 1, without 1. */
export type Random = () => number;

type Context = { keys: Keys; random: Random; pets: number };
type Kind = { kind: string; weight: number; make: (context: Context) => Omit<SoakRequest, 'kind'> };

const { listPets, createPet, listOrders, createOrder } = operations;

/** The requests that a store receives in a day, including invalid and hostile ones. */
const kinds: Kind[] = [
  {
    kind: 'list',
    weight: 40,
    make: ({ keys, random }) =>
      get(keys.unlimited, `${listPets.path}?limit=${1 + pick(random, 100)}${filter(random)}`, [200]),
  },
  { kind: 'list orders', weight: 5, make: ({ keys }) => get(keys.unlimited, `${listOrders.path}?limit=20`, [200]) },
  {
    kind: 'get',
    weight: 20,
    make: ({ keys, random, pets }) =>
      get(keys.unlimited, `${listPets.path}/${1 + pick(random, pets + 10)}`, [200, 404]),
  },
  {
    kind: 'create',
    weight: 12,
    make: ({ keys, random }) => {
      const pet = { name: `pet ${pick(random, 1e9)}`, categoryId: pick(random, 100), status: 'available' };
      return post(keys.unlimited, createPet.path, pet, [201]);
    },
  },
  {
    kind: 'order',
    weight: 6,
    make: ({ keys, random, pets }) =>
      post(keys.unlimited, createOrder.path, { petId: 1 + pick(random, pets) }, [201, 404, 409]),
  },
  {
    kind: 'invalid query',
    weight: 4,
    make: ({ keys, random }) => get(keys.unlimited, `${listPets.path}?limit=${101 + pick(random, 1e6)}`, [400]),
  },
  {
    kind: 'invalid body',
    weight: 4,
    make: ({ keys }) => post(keys.unlimited, createPet.path, { name: '', kind: 'dog' }, [400]),
  },
  { kind: 'unknown path', weight: 2, make: ({ keys, random }) => get(keys.unlimited, `/${pick(random, 1e9)}`, [404]) },
  {
    kind: 'unknown key',
    weight: 4,
    make: ({ random }) => get(`as_live_${pick(random, 1e12)}`, listPets.path, [401, 429]),
  },
  { kind: 'over quota', weight: 3, make: ({ keys }) => get(keys.free, listPets.path, [200, 429]) },
];

const totalWeight = kinds.reduce((sum, { weight }) => sum + weight, 0);

/** A request of a random kind. `pets` is about how many pets there are. */
export function randomRequest(context: Context): SoakRequest {
  let rest = context.random() * totalWeight;
  for (const { kind, weight, make } of kinds) {
    rest -= weight;
    if (rest < 0) return { kind, ...make(context) };
  }
  throw new Error('A random number was not below 1.');
}

function get(key: string, path: string, expected: readonly number[]) {
  return { method: 'GET', path: `${basePath}${path}`, headers: { authorization: `Bearer ${key}` }, expected };
}

function post(key: string, path: string, body: unknown, expected: readonly number[]) {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  };
  return { method: 'POST', path: `${basePath}${path}`, headers, body: JSON.stringify(body), expected };
}

function filter(random: Random): string {
  const statuses: readonly string[] = enumerations.PetStatus;
  return random() < 0.5 ? '' : `&status=${statuses[pick(random, statuses.length)]}`;
}

function pick(random: Random, below: number): number {
  return Math.floor(random() * below);
}
