import { randomUUID } from 'node:crypto';
import { basePath, enumerations, operations } from '@animal-store/contract';

/** One request of the load, and the statuses that are right for it. */
export type Call = {
  kind: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  expected: readonly number[];
};

export type Keys = { unlimited: string; free: string };

/** A number from 0 up to 1, 1 excluded. */
export type Random = () => number;

type Kind = {
  name: string;
  weight: number;
  make: (parts: { keys: Keys; random: Random; pets: number }) => Omit<Call, 'kind'>;
};

/** What a store sees on a day, the wrong and the hostile included. */
const kinds: Kind[] = [
  {
    name: 'list',
    weight: 40,
    make: ({ keys, random }) =>
      get(keys.unlimited, `${operations.listPets.path}?limit=${1 + pick(random, 100)}${filter(random)}`, [200]),
  },
  {
    name: 'list orders',
    weight: 5,
    make: ({ keys }) => get(keys.unlimited, `${operations.listOrders.path}?limit=20`, [200]),
  },
  {
    name: 'get',
    weight: 20,
    make: ({ keys, random, pets }) =>
      get(keys.unlimited, `${operations.listPets.path}/${1 + pick(random, pets + 10)}`, [200, 404]),
  },
  {
    name: 'create',
    weight: 12,
    make: ({ keys, random }) =>
      post(
        keys.unlimited,
        operations.createPet.path,
        { name: `pet ${pick(random, 1e9)}`, categoryId: pick(random, 100), status: 'available' },
        [201],
      ),
  },
  {
    name: 'order',
    weight: 6,
    make: ({ keys, random, pets }) =>
      post(keys.unlimited, operations.createOrder.path, { petId: 1 + pick(random, pets) }, [201, 404, 409]),
  },
  {
    name: 'invalid query',
    weight: 4,
    make: ({ keys, random }) =>
      get(keys.unlimited, `${operations.listPets.path}?limit=${101 + pick(random, 1e6)}`, [400]),
  },
  {
    name: 'invalid body',
    weight: 4,
    make: ({ keys }) => post(keys.unlimited, operations.createPet.path, { name: '', kind: 'dog' }, [400]),
  },
  { name: 'unknown path', weight: 2, make: ({ keys, random }) => get(keys.unlimited, `/${pick(random, 1e9)}`, [404]) },
  {
    name: 'made-up key',
    weight: 4,
    make: ({ random }) => get(`as_live_${pick(random, 1e12)}`, operations.listPets.path, [401, 429]),
  },
  { name: 'over the quota', weight: 3, make: ({ keys }) => get(keys.free, operations.listPets.path, [200, 429]) },
];

const total = kinds.reduce((sum, { weight }) => sum + weight, 0);

/** The next request, chosen by weight. `pets` is how many animals there are about. */
export function nextCall(keys: Keys, random: Random, pets: number): Call {
  let rest = random() * total;
  for (const { name, weight, make } of kinds) {
    rest -= weight;
    if (rest < 0) return { kind: name, ...make({ keys, random, pets }) };
  }
  throw new Error('The weights do not add up.');
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
