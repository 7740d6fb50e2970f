import { type Paging, valueAt } from '../paging.ts';
import { Refusal } from './contract.ts';

/** The values of the query as in the URL, or with the types of the contract. */
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
    throw new Refusal('invalid_request', `The request is invalid: query/cursor ${what}.`, {
      details: [{ where: 'query/cursor', what }],
    });
  }
  const start = entries.findIndex((entry) => keyOf(entry, entries) > Number(cursor));
  return start < 0 ? entries.length : start;
}

function urlAt({ url }: Request, value: unknown, parameter = 'cursor'): string {
  const next = new URL(url);
  next.searchParams.set(parameter, `${value}`);
  return next.href;
}

/**
 * One page of a list that continues as `paging` says: the body with the items of that page, and with what leads to the next one. A
 * filter has the name of a property of an item; other parameters change nothing.
 *
 * @returns the body, and the URL of the next page if that is in the `Link` header
 * @throws Refusal if the cursor does not come from a page
 */
export function pageWith(paging: Paging, whole: unknown, { query, request }: Listing) {
  const { kind, items = [], parameter, size = '' } = paging;
  const all = valueAt(whole, items);
  if (!Array.isArray(all)) return { body: whole, next: undefined };
  const values = new Map<string, unknown>(Object.entries(query));
  const filters = [...values].filter(
    ([name]) => name !== parameter && name !== size && all.some((entry) => name in Object(entry)),
  );
  const found = all.filter((entry) => matches(entry, Object.fromEntries(filters)));
  // Without a parameter, no request can ask for another page.
  const length = Number((parameter === undefined ? undefined : values.get(size)) ?? (found.length || 1));
  const start = startIn(paging, found, values.get(parameter ?? ''), length);
  const end = start + length;
  const page = found.slice(start, end);
  const hasMore = end < found.length;
  const value = valueAfter(paging, page, end, length);
  const url = hasMore ? urlAt(request, value, parameter) : undefined;
  const shown = kind === 'link' ? url : likeExample(value, whole, paging);
  // A cursor may stay on the last page, if something else says that it is the last.
  const last = paging.end === undefined && paging.more !== undefined ? shown : paging.end;
  const body = structuredClone(whole);
  const parts = [
    [paging.more, hasMore],
    [paging.total, found.length],
    [paging.pages, Math.ceil(found.length / length)],
    [paging.next, hasMore ? shown : last],
  ] as const;
  for (const [keys, part] of parts) if (keys !== undefined) setAt(body, keys, part);
  return { body: setAt(body, items, page), next: kind === 'link' && paging.next === undefined ? url : undefined };
}

/** Whether the parameter counts items. The parameter of a link may also count pages. */
function countsItems({ kind, parameter = '' }: Paging): boolean {
  return kind === 'offset' || kind === 'cursor' || (kind === 'link' && /offset|skip|start/i.test(parameter));
}

/** The index of the first item of the page that a parameter selects. */
function startIn(paging: Paging, found: readonly unknown[], value: unknown, length: number): number {
  const { kind, id, parameter } = paging;
  const first = paging.start ?? (countsItems(paging) ? 0 : 1);
  if (value === undefined) return 0;
  const last = id === undefined ? -1 : found.findIndex((entry) => `${valueAt(entry, id)}` === `${value}`);
  if (last >= 0) return last + 1;
  const number = Number(value) - first;
  if (id === undefined && number >= 0) return countsItems(paging) ? number : number * length;
  const what = kind === 'cursor' ? 'is not a cursor of this list' : 'is before the first page';
  const where = `query/${parameter}`;
  throw new Refusal('invalid_request', `The request is invalid: ${where} ${what}.`, { details: [{ where, what }] });
}

/** The value of the parameter for the page after this one. */
function valueAfter(paging: Paging, page: readonly unknown[], end: number, length: number): unknown {
  if (paging.id !== undefined) return valueAt(page.at(-1), paging.id);
  return countsItems(paging) ? end + (paging.start ?? 0) : end / length + (paging.start ?? 1);
}

/** A cursor is a text, unless the example has a number there. */
function likeExample(value: unknown, whole: unknown, { kind, next = [] }: Paging): unknown {
  return kind === 'cursor' && typeof valueAt(whole, next) !== 'number' ? `${value}` : value;
}

/** The node with another value at the end of a path of keys. A value that is undefined is removed. */
function setAt(node: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const inner = setAt(Object(valueAt(node, [key])), rest, value);
  if (inner === undefined) delete Object(node)[key];
  else Object.assign(Object(node), { [key]: inner });
  return node;
}
