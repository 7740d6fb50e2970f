import { seededRandom } from '../../../../scripts/testing/seeded-random.ts';
import { type Ask, inTurn, requestBytes } from '../../../load/load.ts';

/** Requests to any server: gives the next one. */
export type Sent = () => Ask;

/** The page that is measured everywhere: 20 animals by status. */
const LIST = '/v1/pets?status=available&limit=20';
/** Not the last ones: each page is full. */
const FULL = 0.95;

/** Addresses that requests without a key come from in turns: so many that none meets its quota. */
const ADDRESSES = 50_000;

const body = JSON.stringify({ name: 'Rex', categoryId: 1, status: 'available' });

/**
 * Requests of some keys in turns, and what each is to be answered with. Pages and animals are others each time, because the
 * server keeps pages until the next write and remembers addresses that come again; `hotList` is for that.
 */
export function requestsOf(keys: readonly string[], animals: number) {
  const random = seededRandom(1);
  let turn = 0;
  const key = () => keys[turn++ % keys.length] ?? '';
  const anyAnimal = (part = 1) => 1 + Math.floor(random() * part * animals);
  const getOne = (path: () => string): Sent => {
    return () => ({ bytes: requestBytes('GET', path(), bearer(key())), status: 200 });
  };
  const get = (path: string, status = 200): Sent =>
    inTurn(keys.map((key) => ({ bytes: requestBytes('GET', path, bearer(key)), status })));
  return {
    unknown: get('/v1/nothing', 404),
    invalid: get('/v1/pets?limit=0', 400),
    limited: get('/v1/pets', 429),
    get: getOne(() => `/v1/pets/${anyAnimal()}`),
    list: getOne(() => `${LIST}&cursor=${Buffer.from(`after:${anyAnimal(FULL)}`).toString('base64url')}`),
    hotList: get(LIST),
    create: inTurn(keys.map((key) => ({ bytes: requestBytes('POST', '/v1/pets', bearer(key), body), status: 201 }))),
  } satisfies Record<string, Sent>;
}

/** A request of nobody in particular. */
export function requestTo(path: string): Sent {
  return inTurn([{ bytes: requestBytes('GET', path, {}), status: 200 }]);
}

/** Requests without a key, each from another address than the one before. */
export function fromAnywhere(): Sent {
  let next = 0;
  return () => {
    next = (next + 1) % ADDRESSES;
    const address = `10.0.${next >> 8}.${next & 255}`;
    return { bytes: requestBytes('GET', LIST, { 'X-Forwarded-For': address }), status: 401 };
  };
}

function bearer(key: string): Record<string, string> {
  return { Authorization: `Bearer ${key}` };
}
