import type { ApiError } from './errors.ts';
import { linkOf } from './headers.ts';
import { type Result, toApiError, unwrap } from './unwrap.ts';

/**
 * The items of a page. `nextCursor` is the `cursor` of the next page, or the value of the parameter that selects it: pass it to continue
 * the list later. It is undefined on the last page, and not enumerable, so that the page is a plain array for `JSON.stringify` and
 * comparisons.
 */
export type Page<Item> = Item[] & { readonly nextCursor: string | undefined };

/** All items of a list. The iterator requests each page when it is needed. */
export type Listing<Item> = AsyncIterable<Item> & {
  /** Iterates over the pages instead of the items. */
  pages(): AsyncIterable<Page<Item>>;
};

/** The type of the items of a list at the end of a path of keys in a body. */
export type ItemAt<Body, Keys extends readonly string[]> = Keys extends readonly [
  infer Key,
  ...infer Rest extends readonly string[],
]
  ? ItemAt<Body extends unknown ? NonNullable<Body[Key & keyof Body]> : never, Rest>
  : Body extends readonly (infer Item)[]
    ? Item
    : never;

/** Reads the pages of a list, and requests the next ones. */
export type Pager = {
  /**
   * The items of a response to a call with `init`, what requests the next page, and the value of its parameter. Both are undefined on
   * the last page.
   *
   * @throws ApiError if there are no items: a list must not seem to end early
   */
  read(data: unknown, response: Response, init: object): PageParts;
  /** The options of a call for the next page. */
  at(init: object, next: string): object;
  /** Whether a page repeats the one before it. */
  isSame?(items: readonly unknown[], previous: readonly unknown[]): boolean;
};

type PageParts = { items: unknown[]; next: string | undefined; cursor: string | undefined };

/** A JSON array, with the URL of the next page in the `Link` header. */
export const linkPager: Pager = {
  read(items, response) {
    if (!Array.isArray(items)) throw notAList(response);
    const next = queryOf(linkOf(response, 'next'));
    return { items, next, cursor: new URLSearchParams(next).get('cursor') ?? undefined };
  },
  at: (init, next) => ({ ...init, querySerializer: () => next }),
};

/** Iterates over the pages that `load` requests. Each iteration starts with the first page. */
export function listing<Item>(
  first: object,
  load: (init: object) => Promise<Result<unknown>>,
  pager = linkPager,
): Listing<Item> {
  async function* pages(): AsyncGenerator<Page<Item>, void> {
    // The first page has no query of its own.
    const requested = new Set<string | undefined>(['']);
    let previous: unknown[] = [];
    for (let init: object | undefined = first; init !== undefined; ) {
      const result: Result<unknown> = await load(init);
      const { items, next, cursor } = pager.read(await unwrap(result), result.response, init);
      if (requested.has(next) || pager.isSame?.(items, previous)) {
        throw cameTwice(result.response);
      }
      yield pageOf<Item>(items, cursor);
      previous = items;
      requested.add(next);
      init = next === undefined ? undefined : pager.at(first, next);
    }
  }
  async function* items(): AsyncGenerator<Item, void> {
    for await (const page of pages()) yield* page;
  }
  return { pages, [Symbol.asyncIterator]: items };
}

export function cameTwice(response: Response): ApiError {
  return toApiError({ message: 'The list has no end: a page came twice.' }, response);
}

function notAList(response: Response): ApiError {
  return toApiError({ message: 'The response is not a list.' }, response);
}

/** Adds `nextCursor` to the items of a page. The contract promises their type. */
export function pageOf<Item>(items: unknown[], value: string | undefined): Page<Item> {
  return Object.defineProperty(items, 'nextCursor', { value }) as Page<Item>;
}

/**
 * The query of the URL of the next page; undefined on the last one. Host and path stay those of the client, so that the key is sent
 * nowhere else. A URL without a query has an empty one, which no list continues with: it would be the first page again.
 */
function queryOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : (/\?([^#]*)/.exec(url)?.[1] ?? '');
}

/** The keys that lead to a part of a body. */
type Keys = readonly string[];

/** How the pages of a list continue if it is not a JSON array with a `Link` header: `x-pagination` in the contract. */
export type Paging = {
  /** What a request for the next page has: a cursor, the number of a page, the number of items to skip, or the query of a link. */
  readonly kind: 'cursor' | 'page' | 'offset' | 'link';
  /** Where the items are. Default: the body is the list. */
  readonly items?: Keys;
  /** Whether a page without items may lack them. */
  readonly optional?: true;
  /** The query parameter that selects the page. */
  readonly parameter?: string;
  /** The query parameter for the number of items on a page. */
  readonly size?: string;
  /** The number of the first page, or of the first item. */
  readonly start?: number;
  /** Where the value of the parameter for the next page is, or its URL. Without a value there, the page is the last one. */
  readonly next?: Keys;
  /** Where the body says whether there are more pages. */
  readonly more?: Keys;
  /** Where the number of all items is. */
  readonly total?: Keys;
  /** Where the number of all pages is. */
  readonly pages?: Keys;
  /** Where the cursor is in the last item, if the body has no cursor. */
  readonly id?: Keys;
};

type Init = { params?: { query?: Readonly<Record<string, unknown>> }; querySerializer?: () => string };

/** Reads the pages of a list that continues in this way, and requests the next ones. */
export function pagerOf(paging: Paging): Pager {
  const { kind, parameter = '' } = paging;
  const isLink = kind === 'link';
  return {
    read(data, response, init: Init) {
      const items = itemsOf(paging, data, response);
      // The example of the contract is the same on each page.
      const isExample = response.headers.has('X-Example-Response');
      const next = isExample ? undefined : nextOf(paging, data, items, response, init);
      const cursor = isLink ? (new URLSearchParams(next).get(parameter) ?? undefined) : next;
      return { items, next, cursor };
    },
    at({ params, ...init }: Init, next) {
      if (isLink) return { ...init, params, querySerializer: () => next };
      return { ...init, params: { ...params, query: { ...params?.query, [parameter]: next } } };
    },
    ...(kind === 'page' || kind === 'offset' ? { isSame } : {}),
  };
}

/** Whether a page has the items of the one before it: the server ignored the number. */
function isSame(items: readonly unknown[], previous: readonly unknown[]): boolean {
  return items.length > 0 && JSON.stringify(items) === JSON.stringify(previous);
}

function itemsOf({ items = [], optional }: Paging, data: unknown, response: Response): unknown[] {
  const found = valueAt(data, items);
  if (Array.isArray(found)) return found;
  if (optional && (found ?? undefined) === undefined && typeof data === 'object') return [];
  throw notAList(response);
}

/** The value of the parameter for the next page, or the query of its URL; undefined on the last page. */
function nextOf(
  paging: Paging,
  data: unknown,
  items: readonly unknown[],
  response: Response,
  { params }: Init,
): string | undefined {
  const { kind, parameter = '', start = 0, next, more, total, pages, id } = paging;
  if (more && valueAt(data, more) === false) return undefined;
  const given = next && textOf(valueAt(data, next), response);
  if (kind === 'link') return queryOf(next ? given : linkOf(response, 'next'));
  if (next) return given;
  if (items.length === 0) return undefined;
  if (kind === 'cursor') return textOf(valueAt(items.at(-1), id ?? []), response);
  const here = Number(params?.query?.[parameter] ?? start);
  const isPage = kind === 'page';
  const before = here - start;
  if (pages && before + 1 >= numberAt(data, pages)) return undefined;
  const all = total ? numberAt(data, total) : Infinity;
  // Earlier pages have at least as many items as this one, so this never ends too early. Some servers send 0 or -1 for an unknown number.
  const seen = isPage ? (before + 1) * items.length : before + items.length;
  if (all >= items.length && seen >= all) return undefined;
  return `${here + (isPage ? 1 : items.length)}`;
}

function valueAt(data: unknown, keys: Keys): unknown {
  // A missing part and null mean the same.
  return keys.reduce<unknown>((node, key) => Object(node)[key] ?? undefined, data);
}

/** Infinity if there is no number, so that the list continues to an empty page. */
function numberAt(data: unknown, keys: Keys): number {
  const value = valueAt(data, keys);
  return typeof value === 'number' ? value : Infinity;
}

function textOf(value: unknown, response: Response): string | undefined {
  if (value === undefined || value === '' || value === false) return undefined;
  if (typeof value === 'string' || typeof value === 'number') return `${value}`;
  throw toApiError({ message: 'The next page is neither a text nor a number.' }, response);
}
