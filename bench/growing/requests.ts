import { measureRate, requestBytes } from '../load/load.ts';
import type { Server } from '../server/server.ts';
import type { GrownOperation } from './contract.ts';

/** Requests of one kind, at several places: what is compared with what. */
export type Comparison = { name: string; places: { name: string; bytes: Buffer; port: number }[] };

/** Replies per second by comparison and place, one value per round. */
export type Rates = Map<string, Map<string, number[]>>;

type RateOptions = { rounds: number; seconds: number; connections: number };

/** Each kind of grown operation at the contract's start, middle and end; and one real operation in both contracts. */
export function comparisonsOf(small: Server, large: Server, grown: GrownOperation[]): Comparison[] {
  const kinds = Map.groupBy(grown, ({ kind }) => kind);
  const byPlace = [...kinds].map(([kind, operations]) => ({
    name: kind,
    places: placesOf(operations).map(({ name, operation }) => ({
      name,
      port: large.port,
      bytes: bytesOf(large, operation),
    })),
  }));
  const list = { method: 'GET', path: '/pets?limit=20', body: undefined };
  const real = {
    name: 'listPets',
    places: [
      { name: 'small', port: small.port, bytes: bytesOf(small, list) },
      { name: 'large', port: large.port, bytes: bytesOf(large, list) },
    ],
  };
  return [...byPlace, real];
}

/**
 * Measures all comparisons in interleaved rounds. Within a round the places of a kind follow each other directly, in
 * another order each time, so that neither a slow minute nor what ran before favours one of them.
 */
export async function measureRates(comparisons: Comparison[], { rounds, seconds, connections }: RateOptions) {
  const rates: Rates = new Map(comparisons.map(({ name }) => [name, new Map()]));
  let busiest = 0;
  await warmUp(comparisons, { connections, seconds });
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, places } of comparisons) {
      for (const place of rotated(places, round)) {
        const { rate, busy } = await measureRate(place, { connections, seconds });
        const measured = rates.get(name);
        measured?.set(place.name, [...(measured.get(place.name) ?? []), rate]);
        busiest = Math.max(busiest, busy);
      }
    }
  }
  return { rates, busiest };
}

/** Both servers equally long, or the one with fewer operations to measure would be the less compiled one. */
async function warmUp(comparisons: Comparison[], options: { connections: number; seconds: number }): Promise<void> {
  const places = comparisons.flatMap((comparison) => comparison.places);
  for (const ofServer of Map.groupBy(places, ({ port }) => port).values()) {
    for (let index = 0; index < places.length; index += 1) {
      const place = ofServer[index % ofServer.length];
      if (place !== undefined) await measureRate(place, options);
    }
  }
}

/** The path of a call: parameters filled in, under the API's base. */
export function pathOf(path: string): string {
  return `/v1${path.replaceAll(/\{\w+\}/g, '1')}`;
}

function placesOf(operations: GrownOperation[]) {
  const indexes = { first: 0, middle: Math.floor(operations.length / 2), last: operations.length - 1 };
  return Object.entries(indexes).flatMap(([name, index]) => {
    const operation = operations[index];
    return operation === undefined ? [] : [{ name, operation }];
  });
}

function bytesOf({ key }: Server, { method, path, body }: Pick<GrownOperation, 'method' | 'path' | 'body'>): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  return requestBytes(method, pathOf(path), { Authorization: `Bearer ${key}` }, text);
}

function rotated<Item>(items: Item[], by: number): Item[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
