import { enumerations } from '@animal-store/contract';
import { encodeRequest, type LoadRequest } from './load.ts';
import { type EngineName, engineNames } from './server.ts';

/** What the requests depend on: the number of pets, and keys that never exceed their quota. */
export type Catalogue = {
  rows: number;
  key: string;
  /** More keys; only on PostgreSQL. */
  manyKeys: readonly string[];
};

/** Gives a number from 0 up to 1. It is seeded, so that both servers get the same requests. */
type Random = () => number;

export type Workload = {
  engines: readonly EngineName[];
  /** The workloads of a phase run on the same server processes, which start with a fresh copy of the data. */
  phase: 'reads' | 'creations';
  /** The requests, which are sent in turn. */
  requests: (catalogue: Catalogue, random: Random) => LoadRequest[];
};

/** Enough that few requests occur twice in a round, so that response caches have little effect. */
const DISTINCT_REQUESTS = 100_000;
const WRITES = 0.05;

const definitions = {
  'list, hot page': { engines: ['sqlite'], phase: 'reads', requests: ({ key }) => [get('/v1/pets?limit=20', key)] },
  'list, random pages': { engines: engineNames, phase: 'reads', requests: many(randomPage) },
  'list, random pages, 5 % writes': { engines: ['sqlite'], phase: 'reads', requests: many(randomPageOrCreation) },
  'get by random id': { engines: engineNames, phase: 'reads', requests: many(randomPet) },
  'get, 5,000 keys': { engines: ['postgres'], phase: 'reads', requests: many(randomPetWithNextKey) },
  'create, durable': { engines: engineNames, phase: 'creations', requests: many(creation) },
} as const satisfies Record<string, Workload>;

export type WorkloadName = keyof typeof definitions;

export const workloads: Readonly<Record<WorkloadName, Workload>> = definitions;

export function isWorkloadName(name: string): name is WorkloadName {
  return Object.hasOwn(definitions, name);
}

export function workloadsOn(engine: EngineName): WorkloadName[] {
  return Object.keys(definitions)
    .filter(isWorkloadName)
    .filter((name) => workloads[name].engines.includes(engine));
}

function many(make: (catalogue: Catalogue, random: Random, index: number) => LoadRequest): Workload['requests'] {
  return (catalogue, random) => Array.from({ length: DISTINCT_REQUESTS }, (_, index) => make(catalogue, random, index));
}

function get(path: string, key: string): LoadRequest {
  return { bytes: encodeRequest('GET', path, key), status: 200 };
}

/** A random page of the catalogue. Half of the pages are filtered by status. */
function randomPage(catalogue: Catalogue, random: Random): LoadRequest {
  const filter = random() < 0.5 ? '' : `&status=${randomStatus(random)}`;
  const cursor = Buffer.from(`after:${randomId(catalogue, random)}`).toString('base64url');
  return get(`/v1/pets?limit=20${filter}&cursor=${cursor}`, catalogue.key);
}

function randomPageOrCreation(catalogue: Catalogue, random: Random): LoadRequest {
  return random() < WRITES ? creation(catalogue, random) : randomPage(catalogue, random);
}

function randomPet(catalogue: Catalogue, random: Random): LoadRequest {
  return get(`/v1/pets/${randomId(catalogue, random)}`, catalogue.key);
}

/** Uses each key in turn, so that the warm-up has used them all. */
function randomPetWithNextKey(catalogue: Catalogue, random: Random, index: number): LoadRequest {
  const key = catalogue.manyKeys[index % catalogue.manyKeys.length] ?? '';
  return get(`/v1/pets/${randomId(catalogue, random)}`, key);
}

function creation(catalogue: Catalogue, random: Random): LoadRequest {
  const id = randomId(catalogue, random);
  const body = { name: `Mia ${id}`, categoryId: id, status: randomStatus(random) };
  return { bytes: encodeRequest('POST', '/v1/pets', catalogue.key, JSON.stringify(body)), status: 201 };
}

function randomId({ rows }: Catalogue, random: Random): number {
  return 1 + Math.floor(random() * rows);
}

function randomStatus(random: Random): string | undefined {
  return enumerations.PetStatus[Math.floor(random() * enumerations.PetStatus.length)];
}
