import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { DataWithHeaders, MutationOptions } from './index.ts';

/** The parameters of a mutation, which gets its `If-Match` from the cache. */
export type OptimisticParams<Params> = Omit<Params, 'If-Match'> & { 'If-Match'?: string | undefined };

/** What a mutation changes in the cache before its response arrives. */
export type OptimisticChange<Params, Item> = {
  /** The query of the item with its `ETag`: `queries.notes.get.withHeaders({ noteId })`. A list of this item alone has one, too. */
  query: (params: OptimisticParams<Params>) => {
    queryKey: QueryKey;
    queryFn: (context: { signal: AbortSignal }) => Promise<DataWithHeaders<Item | Item[]>>;
  };
  /** The data that has the item: that of this path and of the paths below it, in whatever form it is cached. */
  path: string;
  /** Whether an item of a list is the one that changes. */
  isSame: (item: Item, params: OptimisticParams<Params>) => boolean;
  /** The item after the change; undefined if it is gone. By default, the item with the properties of `body`, without those that are null. */
  apply?: (item: Item, params: OptimisticParams<Params>) => Item | undefined;
  /**
   * Whether to send the change again after someone else has changed the item. By default: if the properties of `body` still have the
   * values that the user saw. Otherwise, the mutation fails with the 412, and the cache has the item as it is now.
   */
  retries?: (current: Item, seen: Item, params: OptimisticParams<Params>) => boolean;
};

/** The options of an optimistic mutation for `useMutation`. Callbacks of your own belong to `mutate`, or call these. */
export type OptimisticOptions<Params, Data, Failure> = Omit<
  MutationOptions<OptimisticParams<Params>, Data, Failure>,
  'mutationFn'
> & {
  mutationFn: (params: OptimisticParams<Params>) => Promise<Data>;
  onMutate: (params: OptimisticParams<Params>) => Promise<Snapshot>;
  onError: (error: Failure, params: OptimisticParams<Params>, before: Snapshot | undefined) => void;
  onSettled: () => Promise<void>;
};

/** The data of each query before the change. */
type Snapshot = readonly (readonly [QueryKey, unknown])[];

/** How often someone else may be faster. */
const MOST_CONFLICTS = 3;

/**
 * A mutation whose change is on screen at once: in each item, list and infinite list of the cache. It sends the `ETag` of what the user saw
 * as `If-Match`, takes the change back if it fails, and fetches the data again at the end.
 */
export function optimistic<Params extends object, Data, Failure, Item extends object>(
  queryClient: QueryClient,
  mutation: MutationOptions<Params, Data, Failure>,
  { query, path, isSame, apply = merged, retries = isUntouched }: OptimisticChange<Params, Item>,
): OptimisticOptions<Params, Data, Failure> {
  const { mutationKey } = mutation;
  /** What the user saw when the change was made. */
  const seen = new WeakMap<object, DataWithHeaders<Item | Item[]>>();
  const affected = {
    predicate: ({ queryKey: [method, place] }: { queryKey: QueryKey }) =>
      method === 'get' && (place === path || `${place}`.startsWith(`${path}/`)),
  };
  const itemIn = ({ data }: DataWithHeaders<Item | Item[]>, params: OptimisticParams<Params>): Item | undefined =>
    Array.isArray(data) ? data.find((item) => isSame(item, params)) : data;
  const change = (params: OptimisticParams<Params>) =>
    queryClient.setQueriesData(affected, (data: unknown) =>
      replaced<Item>(
        data,
        (item) => isSame(item, params),
        (item) => apply(item, params),
      ),
    );

  return {
    ...mutation,
    async onMutate(params) {
      await queryClient.cancelQueries(affected);
      const before = queryClient.getQueriesData(affected);
      const known = queryClient.getQueryData<DataWithHeaders<Item | Item[]>>(query(params).queryKey);
      if (known !== undefined) seen.set(params, known);
      change(params);
      return before;
    },
    async mutationFn(params) {
      const load = () => queryClient.fetchQuery({ ...query(params), staleTime: 0 });
      let known = seen.get(params) ?? (await load());
      for (let conflicts = 0; ; conflicts += 1) {
        try {
          const given = { 'If-Match': known.headers['etag'], ...params };
          // The parameters of the mutation with its If-Match.
          return await mutation.mutationFn(given as unknown as Params);
        } catch (error) {
          if (Object(error).status !== 412 || params['If-Match'] !== undefined) throw error;
          const current = await load();
          const [before, now] = [itemIn(known, params), itemIn(current, params)];
          if (!before || !now || conflicts >= MOST_CONFLICTS || !retries(now, before, params)) throw error;
          known = current;
          change(params);
        }
      }
    },
    onError(_error, params, before = []) {
      for (const [queryKey, data] of before) {
        queryClient.setQueryData(queryKey, (now: unknown) => restored<Item>(now, data, (item) => isSame(item, params)));
      }
    },
    async onSettled() {
      // What another change has put on screen would disappear until its response arrives.
      if (queryClient.isMutating({ mutationKey }) > 1) return;
      await queryClient.invalidateQueries(affected);
    },
  };
}

/** The item with the properties of the body of a merge patch (RFC 7396). */
function merged<Item>(item: Item, params: object): Item {
  const entries = Object.entries({ ...item, ...Object(bodyOf(params)) });
  return Object.fromEntries(entries.filter(([, value]) => value !== null)) as Item;
}

/** Whether the properties that the body changes have the same values in both. */
function isUntouched<Item>(current: Item, seen: Item, params: object): boolean {
  const valueIn = (item: Item, name: string) => JSON.stringify(Object(item)[name]);
  return Object.keys(Object(bodyOf(params))).every((name) => valueIn(current, name) === valueIn(seen, name));
}

function bodyOf(params: object): unknown {
  return 'body' in params ? params.body : undefined;
}

/** Cached data with other items: a list, the pages of one, a body with a list, data with headers, or the item itself. */
function replaced<Item>(
  data: unknown,
  isSame: (item: Item) => boolean,
  next: (item: Item) => Item | undefined,
): unknown {
  if (Array.isArray(data)) {
    return data.flatMap((item) =>
      typeof item === 'object' && item !== null && isSame(item) ? (next(item) ?? []) : [item],
    );
  }
  if (typeof data !== 'object' || data === null) return data;
  const inner = (name: string, value: unknown): [string, unknown] => [name, replaced(value, isSame, next)];
  if ('pages' in data && Array.isArray(data.pages))
    return { ...data, pages: data.pages.map((page) => replaced(page, isSame, next)) };
  if ('data' in data && 'headers' in data) return { ...data, data: replaced(data.data, isSame, next) };
  // The type of cached data is that of the query at its path.
  if (isSame(data as Item)) return next(data as Item) ?? data;
  const lists = Object.entries(data).filter(([, value]) => Array.isArray(value));
  return { ...data, ...Object.fromEntries(lists.map(([name, value]) => inner(name, value))) };
}

/** The data of now with the item as it was before. If it is gone, all data of before. */
function restored<Item>(now: unknown, before: unknown, isSame: (item: Item) => boolean): unknown {
  const found: Item[] = [];
  const find = (item: Item) => {
    found.push(item);
    return item;
  };
  replaced<Item>(before, isSame, find);
  const [original] = found;
  if (original === undefined) return now;
  let isThere = false;
  const data = replaced<Item>(now, isSame, () => {
    isThere = true;
    return original;
  });
  return isThere ? data : before;
}
