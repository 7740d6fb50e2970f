/** Building blocks for the store behind mocks. */
import { Refusal } from './contract.ts';
import { etagOf } from './respond.ts';

/** Rows by ID. An ID is never used twice. */
export class Table<Row extends { id: number }> {
  readonly #seed: readonly Row[];
  #rows = new Map<number, Row>();
  #lastId = 0;

  constructor(seed: readonly Row[]) {
    this.#seed = seed;
    this.reset();
  }

  /** The rows in the order of their IDs. */
  get rows(): Row[] {
    return [...this.#rows.values()].sort((one, other) => one.id - other.id);
  }

  find(id: number): Row | undefined {
    return this.#rows.get(id);
  }

  /** Saves the row that is created with a new ID. */
  add(create: (id: number) => Row): Row {
    return this.save(create(this.#lastId + 1));
  }

  save(row: Row): Row {
    this.#rows.set(row.id, row);
    this.#lastId = Math.max(this.#lastId, row.id);
    return row;
  }

  remove(id: number): void {
    this.#rows.delete(id);
  }

  reset(): void {
    this.#rows = new Map(this.#seed.map((row) => [row.id, row]));
    this.#lastId = Math.max(0, ...this.#rows.keys());
  }
}

type Listing = { query: object; request: Request };

/**
 * One page of a list according to its query, and the URL of the next page. A filter has the name of a property:
 * `status=sold`, or `id=1&id=2` for several values.
 *
 * @throws Refusal if the cursor does not come from a page
 */
export function pageOf<Entry>(
  entries: readonly Entry[],
  { query, request }: Listing,
): { body: Entry[]; next: string | undefined } {
  const { limit = entries.length, cursor, ...filters }: Record<string, unknown> = { ...query };
  const found = entries.filter((entry) => matches(entry, filters));
  const rest = cursor === undefined ? found : found.slice(startOf(found, `${cursor}`));
  const body = rest.slice(0, Number(limit));
  const last = body.at(-1);
  const next = last === undefined || body.length === rest.length ? undefined : urlAt(request, keyOf(last, found));
  return { body, next };
}

/** Whether an entry has one of the values of each filter. */
function matches(entry: unknown, filters: Record<string, unknown>): boolean {
  const properties = new Map(Object.entries(Object(entry)));
  return Object.entries(filters).every(([name, values]) =>
    [values].flat().some((value) => `${value}` === `${properties.get(name)}`),
  );
}

/** The ID of an entry, so that deleting an entry moves no other one to another page; without an ID, its index. */
function keyOf(entry: unknown, entries: readonly unknown[]): number {
  const { id }: { id?: unknown } = Object(entry);
  return typeof id === 'number' ? id : entries.indexOf(entry);
}

/** The index after the entry that a cursor names. */
function startOf(entries: readonly unknown[], cursor: string): number {
  if (!/^-?\d+$/.test(cursor)) {
    const what = 'is not a cursor of this list; request the URL in the Link header of the previous page';
    throw new Refusal('invalid_request', `The request is invalid: query/cursor ${what}.`, [
      { where: 'query/cursor', what },
    ]);
  }
  const start = entries.findIndex((entry) => keyOf(entry, entries) > Number(cursor));
  return start < 0 ? entries.length : start;
}

function urlAt({ url }: Request, cursor: number): string {
  const next = new URL(url);
  next.searchParams.set('cursor', `${cursor}`);
  return next.href;
}

/**
 * Whether `If-Match` allows changing a resource (RFC 9110, section 13.1.1): it contains the ETag of the resource or of a
 * page with only the resource, or `*`.
 */
export function matchesVersion(header: string, resource: object): boolean {
  const etags = [resource, [resource]].map((body) => etagOf(JSON.stringify(body)));
  return header.trim() === '*' || etags.some((etag) => header.includes(etag));
}
