import { randomBytes } from 'node:crypto';
import { enumerations } from '@animal-store/contract';
import { mintSecret } from '../../../packages/server/src/keys/key-format.ts';
import { type Ask, requestBytes } from '../../load/load.ts';
import { ANIMALS, type Data } from './data.ts';

/** Gives a number from 0 up to 1; seeded, so that each run and each server sees the same requests. */
export type Random = () => number;

/** A kind of request that is measured. */
export type Work = {
  /** Works of a group are measured on the same running servers. */
  group: 'reads' | 'creations' | 'refusals';
  /** The requests, which are sent in turns. */
  asks: (data: Data, random: Random) => Ask[];
  /** The part of the replies that may have another status. */
  tolerance?: number;
};

/** So many that hardly one comes twice in a round: what is remembered of a request must not stand for all. */
const DISTINCT = 100_000;
const WRITES = 0.05;

/** A window of the quota may end in a measure. */
const AT_MIDNIGHT = 0.005;

export const works = {
  'list, hot page': { group: 'reads', asks: (data) => [hotPage(authorized(data))] },
  'list, random pages': { group: 'reads', asks: (data, random) => many(() => randomPage(data, random)) },
  'list, random pages, 5 % writes': {
    group: 'reads',
    asks: (data, random) => many(() => (random() < WRITES ? creation(data, random) : randomPage(data, random))),
  },
  'get by random id': { group: 'reads', asks: (data, random) => many(() => randomPet(data, random)) },
  'create, durable': { group: 'creations', asks: (data, random) => many(() => creation(data, random)) },
  'own 200, made': { group: 'refusals', asks: (data, random) => many(() => randomPage(data, random)) },
  'own 200, kept': { group: 'refusals', asks: (data) => [hotPage({ ...authorized(data), ...forwarded(1) })] },
  '401, no key or a made-up one': { group: 'refusals', asks: strangers },
  '400, query or body': { group: 'refusals', asks: invalid },
  '429, key that keeps sending': {
    group: 'refusals',
    asks: ({ smallKey }) => [{ ...hotPage({ ...bearer(smallKey), ...forwarded(2) }), status: 429 }],
    tolerance: AT_MIDNIGHT,
  },
  '429, address that keeps sending': {
    group: 'refusals',
    asks: () => [{ ...hotPage(forwarded(3)), status: 429 }],
    tolerance: AT_MIDNIGHT,
  },
} as const satisfies Record<string, Work>;

export type WorkName = keyof typeof works;

export function isWorkName(name: string): name is WorkName {
  return Object.hasOwn(works, name);
}

export const workNames = Object.keys(works).filter(isWorkName);

type Headers = Record<string, string>;

function many(make: () => Ask): Ask[] {
  return Array.from({ length: DISTINCT }, make);
}

function authorized({ key }: Data): Headers {
  return bearer(key);
}

function bearer(secret: string): Headers {
  return { Authorization: `Bearer ${secret}` };
}

/** A caller behind a proxy: each number has an address of its own, and with it a quota. */
function forwarded(caller: number): Headers {
  return { 'X-Forwarded-For': `10.${caller >> 16}.${(caller >> 8) & 255}.${caller & 255}` };
}

function hotPage(headers: Headers): Ask {
  return { bytes: requestBytes('GET', '/v1/pets?limit=20', headers), status: 200 };
}

/** A page anywhere; half of them filtered. */
function randomPage(data: Data, random: Random): Ask {
  const filter = random() < 0.5 ? '' : `&status=${oneOf(enumerations.PetStatus, random)}`;
  const cursor = Buffer.from(`after:${randomId(random)}`).toString('base64url');
  const path = `/v1/pets?limit=20${filter}&cursor=${cursor}`;
  return { bytes: requestBytes('GET', path, authorized(data)), status: 200 };
}

function randomPet(data: Data, random: Random): Ask {
  return { bytes: requestBytes('GET', `/v1/pets/${randomId(random)}`, authorized(data)), status: 200 };
}

function creation(data: Data, random: Random): Ask {
  const body = {
    name: `Mia ${randomId(random)}`,
    categoryId: randomId(random),
    status: oneOf(enumerations.PetStatus, random),
  };
  return { bytes: requestBytes('POST', '/v1/pets', authorized(data), JSON.stringify(body)), status: 201 };
}

/**
 * One address is answered 401 only so often a minute, then 429; so each request comes from one of many addresses. Half of
 * them send no key, half one that looks like a key and is none.
 */
function strangers(): Ask[] {
  return Array.from({ length: 40_000 }, (_, index) => {
    const secret = index % 2 === 0 ? {} : bearer(mintSecret('live', randomBytes));
    return { ...hotPage({ ...secret, ...forwarded(1_000 + index) }), status: 401 };
  });
}

function invalid(data: Data): Ask[] {
  const headers = { ...authorized(data), ...forwarded(1) };
  const body = JSON.stringify({ name: '', categoryId: 3 });
  return [
    { bytes: requestBytes('GET', '/v1/pets?limit=101', headers), status: 400 },
    { bytes: requestBytes('POST', '/v1/pets', headers, body), status: 400 },
  ];
}

function randomId(random: Random): number {
  return 1 + Math.floor(random() * ANIMALS);
}

function oneOf<Value>(values: readonly Value[], random: Random): Value | undefined {
  return values[Math.floor(random() * values.length)];
}
