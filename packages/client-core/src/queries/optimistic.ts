import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';
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
  /**
   * The path of the list of the item, such as `/notes`. The change is in the data of this path and of an item, `/notes/{noteId}`, in whatever
   * form it is cached. Data of other paths below is only fetched again at the end.
   */
  path: string;
  /** Whether an item of a list is the one that changes. */
  isSame: (item: Item, params: OptimisticParams<Params>) => boolean;
  /**
   * The item after the change; undefined if it is gone. By default, the item with `body` as a merge patch (RFC 7396) or, with PUT, with the
   * properties of `body`.
   */
  apply?: (item: Item, params: OptimisticParams<Params>) => Item | undefined;
  /**
   * Whether to send the change again after someone else has changed the item. By default: if the properties of `body`, or without a body
   * all properties, still have the values that the user saw. Otherwise, the mutation fails with the 412, and the cache has the item as it
   * is now.
   */
  retries?: (current: Item, seen: Item, params: OptimisticParams<Params>) => boolean;
};

/** The options of an optimistic mutation for `useMutation`. Callbacks of your own belong to `mutate`, or call these. */
export type OptimisticOptions<Params, Data, Failure> = Omit<
  MutationOptions<OptimisticParams<Params>, Data, Failure>,
  'mutationFn'
> & {
  mutationFn: (params: OptimisticParams<Params>) => Promise<Data>;
  onMutate: (params: OptimisticParams<Params>) => Promise<Change>;
  onError: (error: unknown, params: OptimisticParams<Params>, change: Change | undefined) => void;
  onSettled: (data: Data | undefined, error: unknown, params: OptimisticParams<Params>) => Promise<void>;
};

/** The data of a query before and after a change. */
type Entry = { queryKey: QueryKey; before: unknown; after: unknown };
/** `seen` is data with the item as it was on screen. */
type Change = { path: string; params: object; entries: Entry[]; seen: unknown };

/**
 * The changes that have no result yet. They belong to no component: react-query uses the options of the latest render for a retry, and
 * several components may change the same data.
 */
const runningChanges = new WeakMap<QueryClient, Set<Change>>();

/** How often someone else may be faster. */
const MOST_CONFLICTS = 3;

/**
 * A mutation whose change is on screen at once: in each item, list and infinite list of the cache. It sends the `ETag` of what the user saw
 * as `If-Match`, takes the change back if it fails, and fetches the data again at the end.
 */
export function optimistic<Params extends object, Data, Failure, Item extends object>(
  queryClient: QueryClient,
  mutation: MutationOptions<Params, Data, Failure>,
  { query, path, isSame, apply = applied(mutation), retries = isUntouched }: OptimisticChange<Params, Item>,
): OptimisticOptions<Params, Data, Failure> {
  const running = runningChanges.get(queryClient) ?? new Set<Change>();
  runningChanges.set(queryClient, running);
  const isAffected = ({ queryKey: [method, place] }: Pick<Query, 'queryKey'>) =>
    method === 'get' && (place === path || `${place}`.startsWith(`${path}/`));
  // A first load continues: its data is fetched again at the end.
  const hasItem = (one: Pick<Query, 'queryKey' | 'state'>) =>
    isAffected(one) && /^(\/\{[^/]+\})?$/.test(`${one.queryKey[1]}`.slice(path.length)) && one.state.data !== undefined;
  const finder =
    (params: OptimisticParams<Params>): IsItem<Item> =>
    // The type of cached data is that of the query at its path.
    (data): data is Item =>
      typeof data === 'object' && data !== null && isSame(data as Item, params);
  const changed = (data: unknown, params: OptimisticParams<Params>) => {
    const isItem = finder(params);
    return mapItems(data, isItem, (items) =>
      items.flatMap((item) => (isItem(item) ? (apply(item, params) ?? []) : [item])),
    );
  };
  const isPending = ({ params }: Change) =>
    queryClient.isMutating({ predicate: ({ state }) => state.variables === params }) > 0;

  return {
    ...mutation,
    async onMutate(params) {
      const filters = { predicate: hasItem };
      await queryClient.cancelQueries(filters);
      const found = queryClient
        .getQueryCache()
        .findAll(filters)
        .filter(({ state }) => itemIn(state.data, finder(params)) !== undefined);
      const entries = found.map(({ queryKey, state: { data: before } }) => {
        return { queryKey, before, after: changed(before, params) };
      });
      // Data that no component shows may be from before an earlier change.
      const seen = (found.find((one) => one.isActive()) ?? found[0])?.state.data;
      for (const { queryKey, after } of entries) queryClient.setQueryData(queryKey, after);
      const change = { path, params, entries, seen };
      running.add(change);
      return change;
    },
    async mutationFn(params) {
      const { queryKey } = query(params);
      const isItem = finder(params);
      const load = () => queryClient.fetchQuery({ ...query(params), staleTime: 0 });
      const { entries = [], seen } = [...running].find((one) => one.params === params) ?? {};
      const entry = entries.find((one) => isEqual(one.queryKey, queryKey));
      let known = (entry?.before as DataWithHeaders<Item | Item[]> | undefined) ?? (await load());
      // What the user saw when the change was made.
      let before = itemIn(seen ?? known, isItem);
      for (let conflicts = 0; ; conflicts += 1) {
        try {
          const given = { ...params, 'If-Match': params['If-Match'] ?? known.headers['etag'] };
          // The parameters of the mutation with its If-Match.
          return await mutation.mutationFn(given as unknown as Params);
        } catch (error) {
          if (Object(error).status !== 412 || params['If-Match'] !== undefined) throw error;
          const current = await load();
          const now = itemIn(current, isItem);
          if (!before || !now || conflicts >= MOST_CONFLICTS || !retries(now, before, params)) throw error;
          [known, before] = [current, now];
          const after = changed(current, params);
          if (entry) Object.assign(entry, { before: current, after });
          queryClient.setQueryData(queryKey, after);
        }
      }
    },
    onError(_error, params, change) {
      if (change === undefined) return;
      running.delete(change);
      const later = [...running].flatMap(({ entries }) => entries);
      for (const entry of change.entries) {
        const undo = (data: unknown) => undone(data, entry, finder(params));
        queryClient.setQueryData(entry.queryKey, undo);
        // Otherwise, the failure of a later change would bring this one back.
        for (const other of later.filter(({ queryKey }) => isEqual(queryKey, entry.queryKey))) {
          Object.assign(other, { before: undo(other.before), after: undo(other.after) });
        }
      }
    },
    async onSettled(_data, _error, params) {
      for (const change of running) if (change.params === params || !isPending(change)) running.delete(change);
      // What another change has put on screen would disappear until its response arrives.
      if ([...running].some((change) => change.path === path)) return;
      // The next change needs the new ETag, also if no component shows the query that has it.
      const { queryKey } = query(params);
      await Promise.all([
        queryClient.invalidateQueries({ predicate: isAffected }),
        queryClient.refetchQueries({ queryKey, exact: true, type: 'inactive' }),
      ]);
    },
  };
}

/** What a method makes of an item by default. */
function applied({ mutationKey: [method] }: Pick<MutationOptions<never, never>, 'mutationKey'>) {
  return <Item>(item: Item, params: object): Item => {
    const body = bodyOf(params);
    if (!isPlain(body)) return item;
    // The contract gives the body the properties of the item.
    return (/^put$/i.test(method) ? { ...item, ...body } : mergePatch(item, body)) as Item;
  };
}

/** Applies a merge patch (RFC 7396). */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isPlain(patch)) return patch;
  const merged = new Map(Object.entries(isPlain(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else if (value !== undefined) merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/** Whether the properties that the body changes, or all if there is no body, have the same values in both. */
function isUntouched<Item>(current: Item, seen: Item, params: object): boolean {
  const body = bodyOf(params);
  const names = Object.keys(isPlain(body) ? body : { ...Object(current), ...Object(seen) });
  return names.every((name) => isEqual(Object(current)[name], Object(seen)[name]));
}

function bodyOf(params: object): unknown {
  return 'body' in params ? params.body : undefined;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Compares data that comes from JSON. */
function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

type IsItem<Item> = (data: unknown) => data is Item;

/**
 * Cached data with other items, whether it is the item, a list, a body with lists, the pages of one, or data with headers.
 *
 * @param map gets the items at a place, which is another one for each list. A single item stays if it returns none
 */
function mapItems<Item>(
  data: unknown,
  isItem: IsItem<Item>,
  map: (items: readonly unknown[], place: string) => readonly unknown[],
): unknown {
  if (!isPlain(data)) return inLists(data, '', map);
  if ('data' in data && 'headers' in data) return { ...data, data: mapItems(data['data'], isItem, map) };
  return isItem(data) ? (map([data], '')[0] ?? data) : inLists(data, '', map);
}

function inLists(data: unknown, place: string, map: Parameters<typeof mapItems>[2]): unknown {
  if (Array.isArray(data)) return map(data, place);
  if (!isPlain(data)) return data;
  const inner = (name: string, value: unknown) => inLists(value, `${place}/${name}`, map);
  const { pages } = data;
  if ('pageParams' in data && Array.isArray(pages))
    return { ...data, pages: pages.map((page, index) => inner(`${index}`, page)) };
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, inner(name, value)]));
}

/** The item in cached data. */
function itemIn<Item>(data: unknown, isItem: IsItem<Item>): Item | undefined {
  const found: Item[] = [];
  mapItems(data, isItem, (items) => {
    found.push(...items.filter(isItem));
    return items;
  });
  return found[0];
}

/** Data without a change. What has changed since then stays as it is. */
function undone<Item>(now: unknown, { before, after }: Entry, isItem: IsItem<Item>): unknown {
  const [original, mine, current] = [itemIn(before, isItem), itemIn(after, isItem), itemIn(now, isItem)];
  if (original === undefined) return now;
  if (mine === undefined) return current === undefined ? inserted(now, before, isItem) : now;
  return mapItems(now, isItem, (items) =>
    items.map((item) => (isItem(item) ? withoutChange(item, original, mine) : item)),
  );
}

/** Data with an item that was removed, at its place. */
function inserted<Item>(now: unknown, before: unknown, isItem: IsItem<Item>): unknown {
  const lists = new Map<string, readonly unknown[]>();
  mapItems(before, isItem, (items, place) => {
    lists.set(place, items);
    return items;
  });
  return mapItems(now, isItem, (items, place) => {
    const old = lists.get(place) ?? [];
    const index = old.findIndex(isItem);
    return index < 0 ? items : [...items.slice(0, index), old[index], ...items.slice(index)];
  });
}

/** The item with the original values of the properties that still have those of the change. */
function withoutChange(item: unknown, original: unknown, mine: unknown): unknown {
  const properties = new Map(Object.entries(Object(item)));
  const [old, own] = [new Map(Object.entries(Object(original))), new Map(Object.entries(Object(mine)))];
  for (const name of new Set([...old.keys(), ...own.keys()])) {
    if (isEqual(old.get(name), own.get(name)) || !isEqual(properties.get(name), own.get(name))) continue;
    if (old.has(name)) properties.set(name, old.get(name));
    else properties.delete(name);
  }
  return Object.fromEntries(properties);
}
