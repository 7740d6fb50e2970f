import { linkOf } from './headers/link.ts';
import type { CallOptions, DataOf, OperationOf, PathWith } from './methods.ts';
import { type Result, toApiError, unwrap } from './unwrap.ts';

/** A path whose `GET` returns entries page by page: its successful response is a JSON array. */
export type ListPath<Paths extends object> = {
  [Path in PathWith<Paths, 'get'>]: ListOf<Paths, Path> extends readonly unknown[] ? Path : never;
}[PathWith<Paths, 'get'>];

type ListOf<Paths extends object, Path extends PathWith<Paths, 'get'>> = DataOf<OperationOf<Paths, 'get', Path>>;

/** The type of the entries that `GET` of that path lists. */
export type ListItem<Path extends ListPath<Paths>, Paths extends object> =
  ListOf<Paths, Path> extends (infer Item)[] ? Item : never;

/**
 * The parameters of a list, and the options of a call. `limit` is the size of a page, and `cursor` the start of the first
 * page: the `nextCursor` of an earlier page. `If-None-Match` is left out because the iterator needs every page, even one
 * that has not changed.
 */
export type ListInit<Path extends ListPath<Paths>, Paths extends object> = ParamsInit<OperationOf<Paths, 'get', Path>> &
  CallOptions;

/** `ListInit`, which is optional only if the path has no required parameter. */
export type ListRest<Path extends ListPath<Paths>, Paths extends object> =
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
 * The items of a page. `nextCursor` is the `cursor` of the next page: pass it to continue the list later. It is undefined on the last
 * page, and not enumerable, so that the page is a plain array for `JSON.stringify` and comparisons.
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
  return listing((next) => client.GET(path, Object.assign(next, init)));
}

/** Iterates over the pages that `load` requests. Each iteration starts with the first page. */
export function listing<Item>(load: (next: NextPage) => Promise<Result<Item[]>>): Listing<Item> {
  async function* pages(): AsyncGenerator<Page<Item>, void> {
    for (let next: NextPage | undefined = {}; next !== undefined; ) {
      const result: Result<Item[]> = await load(next);
      yield pageOf(listOf(await unwrap(result), result.response), result.response);
      const query = nextQueryOf(result.response);
      next = query === undefined ? undefined : { querySerializer: () => query };
    }
  }
  async function* items(): AsyncGenerator<Item, void> {
    for await (const page of pages()) yield* page;
  }
  return { pages, [Symbol.asyncIterator]: items };
}

/** @throws ApiError if a response has no items: a list must not seem to end early */
export function listOf<Item>(items: Item[] | undefined, response: Response): Item[] {
  if (Array.isArray(items)) return items;
  throw toApiError({ message: 'The response is not a list.' }, response);
}

/** Adds `nextCursor` to the items of a response. */
export function pageOf<Item>(items: Item[], response: Response): Page<Item> {
  const value = new URLSearchParams(nextQueryOf(response)).get('cursor') ?? undefined;
  return Object.defineProperty(items, 'nextCursor', { value }) as Page<Item>;
}

/**
 * The query of the next page; undefined on the last one. Only the query of the URL in `Link` is used: host and path stay those of the
 * client, so that the key is sent nowhere else.
 */
export function nextQueryOf(response: Response): string | undefined {
  const address = linkOf(response, 'next');
  return address === undefined ? undefined : (/\?([^#]*)/.exec(address)?.[1] ?? '');
}
