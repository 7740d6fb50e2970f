import { describe, expect, test } from '@jest/globals';
import { MutationObserver, QueryClient } from '@tanstack/react-query';
import type { DataWithHeaders, MutationOptions } from './index.ts';
import { type OptimisticChange, optimistic } from './optimistic.ts';

type Note = {
  id: number;
  text: string;
  pinned?: boolean;
  likes: number;
  place: { town: string; street?: string } | null;
};
type Body = { [Name in keyof Note]?: Note[Name] | null | object };
type Params = { noteId: number; body?: Body | undefined; 'If-Match'?: string | undefined };

const note = (id: number, more: Partial<Note> = {}): Note => ({
  ...{ id, text: `${id}`, likes: 0, place: { town: 'Bonn', street: 'Am Hof' } },
  ...more,
});
const conflict = Object.assign(new Error('Somebody else was faster.'), { status: 412 });
const refusal = Object.assign(new Error('The text is not valid.'), { status: 400 });

/** A cache with a list, an infinite list and the notes themselves, and mutations whose responses a test gives. */
function setUp(change: Partial<OptimisticChange<Params, Note>> = {}, ids = [1, 2, 3]) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const keys = {
    list: ['get', '/notes'],
    pages: ['get', '/notes', {}, 'pages'],
    comments: ['get', '/notes/{noteId}/comments', { noteId: 9 }],
    one: ['get', '/notes/{noteId}', { noteId: 1 }, 'headers'],
  };
  const [first = 0, ...others] = ids;
  client.setQueryData(
    keys.list,
    ids.map((id) => note(id)),
  );
  const pages = [[first], others].map((page, index) => ({
    items: page.map((id) => note(id)),
    next: index ? undefined : '2',
  }));
  client.setQueryData(keys.pages, { pages, pageParams: ['', '2'] });
  client.setQueryData(keys.comments, [{ id: 1, text: 'a comment' }]);
  const responses: PromiseWithResolvers<void>[] = [];
  const sent: (string | undefined)[] = [];
  /** The note as the API has it. */
  const stored = { note: note(first), version: 1, loads: 0 };
  const query = (): ReturnType<OptimisticChange<Params, Note>['query']> => ({
    queryKey: keys.one,
    queryFn: async (): Promise<DataWithHeaders<Note>> => {
      stored.loads += 1;
      const headers = { etag: `"${stored.version}"` };
      return { data: stored.note, status: 200, headers, requestId: undefined };
    },
  });
  client.setQueryData(keys.one, { data: note(first), status: 200, headers: { etag: '"1"' }, requestId: undefined });
  const mutation = (method: string): MutationOptions<Params, null> => ({
    mutationKey: [method, '/notes/{noteId}'],
    async mutationFn({ 'If-Match': version }) {
      sent.push(version);
      const response = Promise.withResolvers<void>();
      responses.push(response);
      await response.promise;
      return null;
    },
    retry: false,
  });
  const isSame = ({ id }: Note, { noteId }: Params) => id === noteId;
  const optionsOf = (method = 'patch', more: Partial<OptimisticChange<Params, Note>> = {}) =>
    optimistic(client, mutation(method), { query, path: '/notes', isSame, ...change, ...more });
  const start = async (params: Params, method = 'patch', more: Partial<OptimisticChange<Params, Note>> = {}) => {
    const observer = new MutationObserver(client, optionsOf(method, more));
    const result = observer.mutate(params).then(
      () => 'done',
      (error) => error,
    );
    const count = responses.length;
    while (responses.length === count && observer.getCurrentResult().status === 'pending') await tick();
    return { observer, result, response: responses.at(-1) ?? Promise.withResolvers<void>() };
  };
  const edit = (noteId: number, body: Body) => start({ noteId, body });
  const remove = (noteId: number) => start({ noteId }, 'delete', { apply: () => undefined });
  const list = (): Note[] => client.getQueryData(keys.list) ?? [];
  const paged = (): Note[] => {
    const data: { pages: { items: Note[] }[] } = client.getQueryData(keys.pages) ?? { pages: [] };
    return data.pages.flatMap(({ items }) => items);
  };
  return { client, keys, stored, sent, optionsOf, start, edit, remove, list, paged, responses };
}

const tick = () => new Promise((resolve) => setTimeout(resolve, 0));
const idsOf = (notes: Note[]) => notes.map(({ id }) => id).join();

describe('a change that fails', () => {
  test('takes back nothing of another one that is still running', async () => {
    const { edit, list, paged } = setUp();
    const [text, pin] = [await edit(1, { text: 'new' }), await edit(1, { pinned: true })];
    text.response.reject(refusal);
    expect(await text.result).toBe(refusal);
    expect([list()[0], paged()[0]]).toEqual([note(1, { pinned: true }), note(1, { pinned: true })]);
    pin.response.reject(refusal);
    await pin.result;
    expect([list()[0], paged()[0]]).toEqual([note(1), note(1)]);
  });

  test.each([
    ['in their order', 0, 1],
    ['in the other order', 1, 0],
  ])('and another one of the same property that fails, too: %s', async (_order, one, other) => {
    const { edit, list } = setUp();
    const both = [await edit(1, { text: 'new' }), await edit(1, { text: 'newer' })];
    for (const index of [one, other]) {
      both[index]?.response.reject(refusal);
      await both[index]?.result;
    }
    expect(list()[0]?.text).toBe('1');
  });

  test('takes back nothing that was loaded meanwhile', async () => {
    const { client, keys, edit, list } = setUp();
    const { response, result } = await edit(1, { text: 'new' });
    client.setQueryData(keys.list, [note(1, { text: 'of somebody else', likes: 7 }), note(2)]);
    response.reject(refusal);
    await result;
    expect(list()).toEqual([note(1, { text: 'of somebody else', likes: 7 }), note(2)]);
  });

  test('returns a removed item to its place, between what others have removed and loaded', async () => {
    const { client, keys, remove, list, paged } = setUp();
    const [two, three] = [await remove(2), await remove(3)];
    client.setQueryData(keys.pages, (data: unknown) => {
      const { pages, pageParams } = Object(data);
      return { pages: [...pages, { items: [note(4)], next: undefined }], pageParams: [...pageParams, '3'] };
    });
    expect([idsOf(list()), idsOf(paged())]).toEqual(['1', '1,4']);
    two.response.reject(refusal);
    await two.result;
    expect([idsOf(list()), idsOf(paged())]).toEqual(['1,2', '1,2,4']);
    three.response.resolve();
    expect(await three.result).toBe('done');
    expect([idsOf(list()), idsOf(paged())]).toEqual(['1,2', '1,2,4']);
  });
});

describe('the cache', () => {
  test('has the change where the item is, and not in other data with the same ID', async () => {
    const { client, keys, remove } = setUp();
    await remove(1);
    expect(client.getQueryData(keys.comments)).toEqual([{ id: 1, text: 'a comment' }]);
  });

  test('has the whole of a merge patch, and null in other properties', async () => {
    const { client, keys, edit, list } = setUp();
    client.setQueryData(keys.list, [note(1, { pinned: true }), note(2, { place: null })]);
    await edit(1, { place: { town: 'Köln' }, pinned: null });
    await edit(2, { text: 'new' });
    expect(list()).toEqual([
      note(1, { place: { town: 'Köln', street: 'Am Hof' } }),
      note(2, { place: null, text: 'new' }),
    ]);
  });

  test('has the properties of a PUT as they are', async () => {
    const { start, list } = setUp();
    await start({ noteId: 1, body: { place: { town: 'Köln' } } }, 'put');
    expect(list()[0]).toEqual(note(1, { place: { town: 'Köln' } }));
  });

  test('has the change in lists within lists, and in an item with pages', async () => {
    const { client, edit } = setUp();
    const [deep, book] = [
      ['get', '/notes', { query: { deep: true } }],
      ['get', '/notes/{noteId}', { noteId: 1 }],
    ];
    client.setQueryData(deep, { result: { items: [note(1)], total: 1 } });
    client.setQueryData(book, { ...note(1), pages: [{ id: 1, text: 'page' }] });
    await edit(1, { text: 'new' });
    expect(client.getQueryData(deep)).toEqual({ result: { items: [note(1, { text: 'new' })], total: 1 } });
    expect(client.getQueryData(book)).toEqual({ ...note(1, { text: 'new' }), pages: [{ id: 1, text: 'page' }] });
  });

  test('keeps a query that is loading for the first time', async () => {
    const { client, edit } = setUp();
    const loading = Promise.withResolvers<Note[]>();
    const first = client.fetchQuery({
      queryKey: ['get', '/notes', { query: { limit: 2 } }],
      queryFn: () => loading.promise,
    });
    await edit(1, { text: 'new' });
    loading.resolve([note(1)]);
    expect(await first).toEqual([note(1)]);
  });

  test('is fetched again after the last of several changes, whatever they are', async () => {
    const { client, keys, edit, remove } = setUp();
    const isStale = () => client.getQueryState(keys.list)?.isInvalidated;
    const [one, two] = [await edit(1, { text: 'new' }), await remove(2)];
    two.response.resolve();
    await two.result;
    expect(isStale()).toBe(false);
    one.response.resolve();
    await one.result;
    expect(isStale()).toBe(true);
  });

  test('is fetched again, although a change was given up without a result', async () => {
    const { client, keys, edit } = setUp();
    await edit(1, { text: 'given up' });
    client.getMutationCache().clear();
    const { response, result } = await edit(1, { text: 'new' });
    response.resolve();
    await result;
    expect(client.getQueryState(keys.list)?.isInvalidated).toBe(true);
  });
});

describe('after a change by somebody else', () => {
  test('a change that depends on the item is made once', async () => {
    const { stored, start, list, responses } = setUp({
      apply: (item) => ({ ...item, likes: item.likes + 1 }),
      retries: () => true,
    });
    const { response } = await start({ noteId: 1 }, 'post');
    Object.assign(stored, { note: note(1, { likes: 5 }), version: 2 });
    response.reject(conflict);
    while (responses.length < 2) await tick();
    expect(list()[0]?.likes).toBe(1);
  });

  test('an item is not removed, unless the caller says so', async () => {
    const { stored, sent, remove, start, responses } = setUp();
    Object.assign(stored, { note: note(1, { text: 'of somebody else' }), version: 2 });
    const { response, result } = await remove(1);
    response.reject(conflict);
    expect([await result, sent]).toEqual([conflict, ['"1"']]);
    const other = await start({ noteId: 1 }, 'delete', { apply: () => undefined, retries: () => true });
    other.response.reject(conflict);
    while (responses.length < 3) await tick();
    expect(sent).toHaveLength(3);
  });

  test('the list has the old value again, and the item the one of somebody else', async () => {
    const { client, keys, stored, edit, list } = setUp();
    Object.assign(stored, { note: note(1, { text: 'of somebody else' }), version: 2 });
    const { response, result } = await edit(1, { text: 'new' });
    response.reject(conflict);
    await result;
    expect([list()[0]?.text, Object(client.getQueryData(keys.one)).data.text]).toEqual(['1', 'of somebody else']);
  });
});

describe('If-Match', () => {
  test('is that of what the user saw, also if react-query retries with the options of a later render', async () => {
    const { client, stored, sent, optionsOf, responses } = setUp();
    const again = { retry: 1, retryDelay: 0 };
    const observer = new MutationObserver(client, { ...optionsOf(), ...again });
    const result = observer.mutate({ noteId: 1, body: { text: 'new' } });
    while (responses.length < 1) await tick();
    observer.setOptions({ ...optionsOf(), ...again });
    stored.version = 2;
    responses[0]?.reject(new TypeError('Failed to fetch'));
    while (responses.length < 2) await tick();
    responses[1]?.resolve();
    await result;
    expect([sent, stored.loads]).toEqual([['"1"', '"1"'], 0]);
  });

  test('comes from the cache if a caller passes undefined', async () => {
    const { start, sent } = setUp();
    await start({ noteId: 1, body: { text: 'new' }, 'If-Match': undefined });
    expect(sent).toEqual(['"1"']);
  });
});
