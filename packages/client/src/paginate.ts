import type { paths } from '@animal-store/contract';
import { linkOf } from './headers/link.ts';
import { type Result, unwrap } from './unwrap.ts';

/** A path whose `GET` gives its entries page by page. */
export type ListPath = {
  [Path in keyof paths]: paths[Path] extends {
    get: { responses: { 200: { content: { 'application/json': unknown[] } } } };
  }
    ? Path
    : never;
}[keyof paths];

type List<Path extends ListPath> = paths[Path]['get'];

/** What `GET` of that path lists. */
export type ListItem<Path extends ListPath> =
  List<Path>['responses'][200]['content']['application/json'] extends (infer Item)[] ? Item : never;

/** What to list: `limit` is the size of the pages. Where they start is for the iterator to know. */
export type ListInit<Path extends ListPath> = {
  params?: Omit<List<Path>['parameters'], 'query'> & {
    query?: Omit<NonNullable<List<Path>['parameters']['query']>, 'cursor'>;
  };
  /** Ends the whole iteration. */
  signal?: AbortSignal;
};

/** All entries, over all pages; each page is asked for when it is needed. */
export type Listing<Item> = AsyncIterable<Item> & {
  /** The same page by page. */
  pages(): AsyncIterable<Item[]>;
};

/** The part of a client that lists a path. */
type Lister<Path extends ListPath> = {
  GET(path: Path, init: ListInit<Path> & NextPage): Promise<Result<ListItem<Path>[]>>;
};

type NextPage = { querySerializer?: () => string };

/**
 * All that a path lists: `for await (const pet of paginate(store, '/pets')) ...`. Leaving the loop stops the requests.
 *
 * Iterating throws what `unwrap` throws.
 */
export function paginate<Path extends ListPath>(
  store: Lister<NoInfer<Path>>,
  path: Path,
  init?: ListInit<Path>,
): Listing<ListItem<Path>> {
  return listing((next) => store.GET(path, { ...init, ...next }));
}

function listing<Item>(load: (next: NextPage) => Promise<Result<Item[]>>): Listing<Item> {
  async function* pages(): AsyncGenerator<Item[], void> {
    for (let next: NextPage | undefined = {}; next !== undefined; ) {
      const result: Result<Item[]> = await load(next);
      yield await unwrap(result);
      next = nextPage(result.response);
    }
  }
  async function* items(): AsyncGenerator<Item, void> {
    for await (const page of pages()) yield* page;
  }
  return { pages, [Symbol.asyncIterator]: items };
}

function nextPage(response: Response): NextPage | undefined {
  const query = nextQueryOf(response);
  return query === undefined ? undefined : { querySerializer: () => query };
}

/**
 * The query of the next page; undefined on the last one. Of the address in `Link` only that is used: host and path stay
 * the client's, so the key goes nowhere else.
 */
export function nextQueryOf(response: Response): string | undefined {
  const address = linkOf(response, 'next');
  return address === undefined ? undefined : (/\?([^#]*)/.exec(address)?.[1] ?? '');
}
