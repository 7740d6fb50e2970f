import { randomBytes } from 'node:crypto';
import { enumerations } from '@animal-store/contract';
import { encodeRequest, type LoadRequest } from '../load/load.ts';
import { mintSecret } from '../server/internals.ts';
import { type EngineName, type Keys, PETS } from './data.ts';

/** Gives a number from 0 up to 1. It is seeded, so that every server gets the same requests. */
export type Random = () => number;

export type Workload = {
  /**
   * Workloads of a group run on the same server processes. Errors are measured on our server only. In the last group, two processes of
   * each server share the load and the database.
   */
  group: 'reads' | 'creations' | 'errors' | 'two processes';
  /** The only engine with this workload; undefined if both have it. */
  engine?: EngineName;
  /** The requests, which are sent in turn. */
  requests: (keys: Keys, random: Random) => LoadRequest[];
  /** The fraction of responses that may have another status. */
  tolerance?: number;
};

/** Enough that few requests occur twice in a round, so that response caches have little effect. */
const DISTINCT_REQUESTS = 100_000;
const WRITES = 0.05;

/** A quota starts again if a window ends during a round. */
const WINDOW_END = 0.005;

const definitions = {
  'list, hot page': { group: 'reads', requests: (data) => [hotPage(bearer(data.key))] },
  'list, random pages': { group: 'reads', requests: randomPages },
  'list, random pages, 5 % writes': {
    group: 'reads',
    engine: 'sqlite',
    requests: (data, random) => many(() => (random() < WRITES ? creation(data, random) : randomPage(data, random))),
  },
  'get by random id': { group: 'reads', requests: gets },
  'get, 5,000 keys': {
    group: 'reads',
    engine: 'postgres',
    // Each key in turn, so that the warm-up has used them all.
    requests: ({ manyKeys }, random) =>
      many((index) => get(`/v1/pets/${randomId(random)}`, bearer(manyKeys[index % manyKeys.length] ?? ''))),
  },
  'create, durable': { group: 'creations', requests: creations },
  '200, random pages': { group: 'errors', engine: 'sqlite', requests: randomPages },
  '401, missing or unknown key': { group: 'errors', engine: 'sqlite', requests: withoutValidKey },
  '429, key over its quota': {
    group: 'errors',
    engine: 'sqlite',
    requests: ({ smallKey }) => [{ ...hotPage({ ...bearer(smallKey), ...from(1) }), status: 429 }],
    tolerance: WINDOW_END,
  },
  '429, address over its quota': {
    group: 'errors',
    engine: 'sqlite',
    requests: () => [{ ...hotPage(from(2)), status: 429 }],
    tolerance: WINDOW_END,
  },
  'list, two processes': { group: 'two processes', engine: 'postgres', requests: randomPages },
  'get, two processes': { group: 'two processes', engine: 'postgres', requests: gets },
  'create, two processes': { group: 'two processes', engine: 'postgres', requests: creations },
} as const satisfies Record<string, Workload>;

export type WorkloadName = keyof typeof definitions;

export const workloads: Readonly<Record<WorkloadName, Workload>> = definitions;

export function isWorkloadName(name: string): name is WorkloadName {
  return Object.hasOwn(definitions, name);
}

export const workloadNames = Object.keys(definitions).filter(isWorkloadName);

export function workloadsOn(engine: EngineName): WorkloadName[] {
  return workloadNames.filter((name) => (workloads[name].engine ?? engine) === engine);
}

type Headers = Record<string, string>;

function many(make: (index: number) => LoadRequest): LoadRequest[] {
  return Array.from({ length: DISTINCT_REQUESTS }, (_, index) => make(index));
}

function bearer(secret: string): Headers {
  return { Authorization: `Bearer ${secret}` };
}

/** A caller behind a proxy, with a different IP address for each number. */
function from(caller: number): Headers {
  return { 'X-Forwarded-For': `10.${caller >> 16}.${(caller >> 8) & 255}.${caller & 255}` };
}

function get(path: string, headers: Headers): LoadRequest {
  return { bytes: encodeRequest('GET', path, headers), status: 200 };
}

function hotPage(headers: Headers): LoadRequest {
  return get('/v1/pets?limit=20', headers);
}

function gets({ key }: Keys, random: Random): LoadRequest[] {
  return many(() => get(`/v1/pets/${randomId(random)}`, bearer(key)));
}

function randomPages(keys: Keys, random: Random): LoadRequest[] {
  return many(() => randomPage(keys, random));
}

function creations(keys: Keys, random: Random): LoadRequest[] {
  return many(() => creation(keys, random));
}

/** A random page of the catalogue. Half of the pages are filtered by status. */
function randomPage({ key }: Keys, random: Random): LoadRequest {
  const filter = random() < 0.5 ? '' : `&status=${oneOf(enumerations.PetStatus, random)}`;
  const cursor = Buffer.from(`after:${randomId(random)}`).toString('base64url');
  return get(`/v1/pets?limit=20${filter}&cursor=${cursor}`, bearer(key));
}

function creation({ key }: Keys, random: Random): LoadRequest {
  const body = {
    name: `Mia ${randomId(random)}`,
    categoryId: randomId(random),
    status: oneOf(enumerations.PetStatus, random),
  };
  return { bytes: encodeRequest('POST', '/v1/pets', bearer(key), JSON.stringify(body)), status: 201 };
}

/** Half of them send no key, half a well-formed key that does not exist. An address gets only 60 of these a minute. */
function withoutValidKey(): LoadRequest[] {
  return Array.from({ length: 40_000 }, (_, index) => {
    const key = index % 2 === 0 ? {} : bearer(mintSecret('as', 'live', randomBytes));
    return { ...hotPage({ ...key, ...from(1_000 + index) }), status: 401 };
  });
}

function randomId(random: Random): number {
  return 1 + Math.floor(random() * PETS);
}

function oneOf<Value>(values: readonly Value[], random: Random): Value | undefined {
  return values[Math.floor(random() * values.length)];
}
