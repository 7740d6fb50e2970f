/** Lists of the contract. */
import type { paths } from '@animal-store/contract/types';
import * as core from '@contract-first/client';

/** A path whose `GET` returns entries page by page: its successful response is a JSON array. */
export type ListPath<Paths extends object = paths> = core.ListPath<Paths>;

/** The type of the entries that `GET` of that path lists. */
export type ListItem<Path extends ListPath<Paths>, Paths extends object = paths> = core.ListItem<Path, Paths>;

/**
 * The parameters of a list, and the options of a call. `limit` is the size of a page, and `cursor` the start of the first
 * page: the `nextCursor` of an earlier page. `If-None-Match` is left out because the iterator needs every page, even one
 * that has not changed.
 */
export type ListInit<Path extends ListPath<Paths>, Paths extends object = paths> = core.ListInit<Path, Paths>;

/** `ListInit`, which is optional only if the path has no required parameter. */
export type ListRest<Path extends ListPath<Paths>, Paths extends object = paths> = core.ListRest<Path, Paths>;

/**
 * All items that a path lists: `for await (const pet of paginate(store, '/pets')) ...`. Leaving the loop stops the requests.
 *
 * Iterating throws what `unwrap` throws.
 */
export const paginate: <Path extends ListPath<Paths>, Paths extends object = paths>(
  store: core.Lister<Paths, NoInfer<Path>>,
  path: Path,
  ...init: ListRest<Path, Paths>
) => core.Listing<ListItem<Path, Paths>> = core.paginate;

/**
 * The data of a call: `const pets = await unwrap(store.GET('/pets'))`.
 *
 * @throws RateLimitError or ApiError if the result has an `error`; everything that the call throws
 */
export const unwrap: <Data>(call: core.Result<Data> | Promise<core.Result<Data>>) => Promise<Data> = core.unwrap;
