import type { ApiError } from './errors.ts';
import { linkOf } from './headers/link.ts';
import type { CallOptions, DataOf, OperationOf, PathWith } from './methods.ts';
import type { PagingTable } from './paging.ts';
import { type Result, toApiError, unwrap } from './unwrap.ts';

/** The lists of a contract that only has JSON arrays with a `Link` header. */
export type OnlyLinks = Record<never, never>;

/** A path whose `GET` returns entries page by page: its successful response is a JSON array, or the contract says where its entries are. */
export type ListPath<Paths extends object, Table extends PagingTable = OnlyLinks> = {
  [Path in PathWith<Paths, 'get'>]: Path extends keyof Table
    ? Table[Path] extends null
      ? never
      : Path
    : ListOf<Paths, Path> extends readonly unknown[]
      ? Path
      : never;
}[PathWith<Paths, 'get'>];

type ListOf<Paths extends object, Path extends PathWith<Paths, 'get'>> = DataOf<OperationOf<Paths, 'get', Path>>;

/** The type of the entries that `GET` of that path lists. */
export type ListItem<
  Path extends ListPath<Paths, Table>,
  Paths extends object,
  Table extends PagingTable = OnlyLinks,
> = ItemAt<ListOf<Paths, Path>, Path extends keyof Table ? KeysIn<Table[Path]> : []>;

type KeysIn<Paging> = Paging extends { readonly items: infer Keys extends readonly string[] } ? Keys : [];

/** The type of the items of a list at the end of a path of keys in a body. */
export type ItemAt<Body, Keys extends readonly string[]> = Keys extends readonly [
  infer Key,
  ...infer Rest extends readonly string[],
]
  ? ItemAt<Body extends unknown ? NonNullable<Body[Key & keyof Body]> : never, Rest>
  : Body extends readonly (infer Item)[]
    ? Item
    : never;

/**
 * The parameters of a list, and the options of a call. `limit` is the size of a page, and `cursor` the start of the first
 * page: the `nextCursor` of an earlier page. `If-None-Match` is left out because the iterator needs every page, even one
 * that has not changed.
 */
export type ListInit<Path extends PathWith<Paths, 'get'>, Paths extends object> = ParamsInit<
  OperationOf<Paths, 'get', Path>
> &
  CallOptions;

/** `ListInit`, which is optional only if the path has no required parameter. */
export type ListRest<Path extends PathWith<Paths, 'get'>, Paths extends object> =
  Record<never, never> extends ListInit<Path, Paths> ? [init?: ListInit<Path, Paths>] : [init: ListInit<Path, Paths>];

type ParamsInit<Op> = Op extends { parameters: infer Parameters }
  ? Record<never, never> extends Params<Parameters>
    ? { params?: Params<Parameters> }
    : { params: Params<Parameters> }
  : unknown;

type Params<Parameters> = {
  [Place in keyof Parameters]: Place extends 'header' ? Without<Parameters[Place], 'If-None-Match'> : Parameters[Place];
};

type Without<Part, Name extends string> = Part extends undefined ? Part : Omit<Part, Name> & { [Left in Name]?: never };

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

/** The part of a client that lists a path. */
export type Lister<Paths extends object, Path extends ListPath<Paths>> = {
  GET(path: Path, init: ListInit<Path, Paths> & NextPage): Promise<Result<ListItem<Path, Paths>[]>>;
};

export type NextPage = { querySerializer?: () => string };

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

/**
 * All items that a path lists: `for await (const note of paginate(client, '/notes')) ...`. Leaving the loop stops the requests.
 *
 * Iterating throws what `unwrap` throws.
 */
export function paginate<Path extends ListPath<Paths>, Paths extends object>(
  client: Lister<Paths, NoInfer<Path>>,
  path: Path,
  ...[init]: ListRest<Path, Paths>
): Listing<ListItem<Path, Paths>> {
  return listing({ ...init }, (at) => client.GET(path, at as ListInit<Path, Paths>));
}

/** `paginate` for a contract with other lists than JSON arrays with a `Link` header. */
export type Paginate<Paths extends object, Table extends PagingTable> = <Path extends ListPath<Paths, Table>>(
  client: { readonly GET: object },
  path: Path,
  ...init: ListRest<Path, Paths>
) => Listing<ListItem<Path, Paths, Table>>;

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

export function notAList(response: Response): ApiError {
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
export function queryOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : (/\?([^#]*)/.exec(url)?.[1] ?? '');
}
