import { operations } from '@animal-store/contract';
import type { Expected } from '../store/expected.ts';
import type { Store } from '../store/store.ts';
import type { Caller, Planned } from './action.ts';

type Entry = { id: number };

/** A listing in pages. A page from a Link is requested with the query of the Link. */
export function listing<Listed extends Entry>(
  entriesOf: (store: Store, by: Caller) => Listed[],
  { limit, ...filters }: Record<string, string | number | number[] | undefined>,
  isListed: (entry: Listed) => boolean,
  start: { after: number; query: string } | undefined = undefined,
): Planned {
  const given = Object.entries({ limit, ...filters }).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => [name, String(one)]),
  );
  return {
    call: { query: start?.query ?? new URLSearchParams(given).toString() },
    answer: (store, { by }) => {
      const most = Number(limit ?? operations.listPets.defaults.limit);
      const rest = entriesOf(store, by).filter((entry) => isListed(entry) && entry.id > (start?.after ?? 0));
      return page(store, rest, most, filters);
    },
    next: (after, query) => listing(entriesOf, { limit, ...filters }, isListed, { after, query }),
  };
}

function page({ origin }: Store, rest: Entry[], most: number, filters: object): Expected {
  const body = rest.slice(0, most).map((entry) => ({ ...entry }));
  const last = body.at(-1);
  if (rest.length <= most || last === undefined) return { status: 200, body };
  return { status: 200, body, lastOfMore: last.id, next: JSON.stringify([origin, most, filters, last.id]) };
}
