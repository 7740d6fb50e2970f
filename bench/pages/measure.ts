import type { Catalogue } from './catalogues.ts';

/** Pages that are asked for in a round, one after the other. */
export const PAGES = 50;
const LIMIT = 20;

/** Which page is asked for: what comes after the page before, unless a place says otherwise. */
type NextAfter = (animals: number, random: () => number) => (last: number | undefined) => number;

const places = {
  'first page': () => () => 0,
  // As a caller who has read so far, and reads on.
  'deep page, read on': (animals, random) => (last) =>
    last === undefined || last > 0.95 * animals ? deep(animals, random) : last,
  // A page that no cache has: in a large catalogue this shows how much of it is in memory.
  'deep page, anywhere': (animals, random) => () => deep(animals, random),
} satisfies Record<string, NextAfter>;

export type Place = keyof typeof places;

export const allPlaces = ['first page', 'deep page, read on', 'deep page, anywhere'] as const satisfies Place[];

function deep(animals: number, random: () => number): number {
  return Math.floor((0.5 + random() * 0.4) * animals);
}

/** Microseconds for a page of 20 available animals, as the mean of a round. */
export async function measureRound(
  { storage, animals }: Catalogue,
  place: Place,
  random: () => number,
): Promise<number> {
  const next = places[place](animals, random);
  let last: number | undefined;
  const start = performance.now();
  for (let count = 0; count < PAGES; count += 1) {
    const page = await storage.reader.listPets({ limit: LIMIT, status: 'available', after: next(last) });
    if (page.length !== LIMIT) throw new Error(`A page has ${page.length} animals.`);
    last = page.at(-1)?.id;
  }
  return ((performance.now() - start) * 1_000) / PAGES;
}
