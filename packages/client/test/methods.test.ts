import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startRecordingServer } from '../../client-core/test/recording-server.ts';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { takenNames } from '../../tooling/src/contract/method-names.ts';
import { root } from '../../tooling/src/project.ts';
import * as operations from '../src/generated/operations.ts';
import * as client from '../src/index.ts';
import { createAnimalStore, createPet, getKey, type ListCall, listPets } from '../src/operations/index.ts';

let server: TestServer;
let sent: string[];

beforeAll(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  for (const number of [1, 2, 3, 4, 5]) {
    await server.call('createPet', { body: { name: `Pet ${number}`, categoryId: 3, status: 'available' } });
  }
});
afterAll(() => server.stop());
beforeEach(() => {
  sent = [];
});

/** A client that records its requests, and whose responses have the `Link` header that `link` returns for the real one. */
function storeOf(link = (value: string) => value) {
  const { url, key } = server;
  return createAnimalStore({
    apiKey: key,
    baseUrl: `${url}/v1`,
    onDeprecated: false,
    fetch: async (request) => {
      sent.push(`${request.method} ${request.url.replace(`${url}/v1`, '')}`);
      const { status, body, headers: given } = await fetch(request);
      const headers = new Headers(given);
      const value = headers.get('Link');
      if (value !== null) headers.set('Link', link(value));
      return new Response(body, { status, headers });
    },
  });
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

describe('a named method', () => {
  test('resolves to the data, for every kind of operation', async () => {
    const store = storeOf();
    const pet = await store.pets.create({ body: { name: 'Rex', categoryId: 3, status: 'available' } });
    const path = { petId: pet.id };
    expect(await store.pets.update({ ...path, 'If-Match': '*', body: { name: 'Rexi' } })).toMatchObject({
      name: 'Rexi',
    });
    const order = await store.beta.orders.create({ body: { petId: pet.id } });
    expect(await store.beta.orders.cancel({ orderId: order.id })).toMatchObject({ status: 'cancelled' });
    expect(await store.pets.delete({ ...path, 'If-Match': undefined })).toBeUndefined();
    expect(await store.keys.get()).toMatchObject({ plan: expect.any(String) });
    expect(sent).toEqual([
      'POST /pets',
      `PATCH /pets/${pet.id}`,
      'POST /store/orders',
      `POST /store/orders/${order.id}/cancel`,
      `DELETE /pets/${pet.id}`,
      'GET /key',
    ]);
  });

  test('returns its response and the request ID', async () => {
    const { data, response, requestId } = await storeOf()
      .pets.list({ id: [1] })
      .withResponse();
    expect(data).toMatchObject([{ id: 1 }]);
    expect(response.headers.get('ETag')).toMatch(/"/);
    expect(requestId).toBe(response.headers.get('X-Request-Id'));
  });

  test('sends the headers of its call, and ends with its signal', async () => {
    await using recording = await startRecordingServer((response) => response.writeHead(204).end());
    const store = createAnimalStore({ apiKey: 'a', baseUrl: recording.url });
    await store.pets.delete({ petId: 1, 'If-Match': '"1"' }, { headers: { 'X-Trace': 'b' } });
    expect(recording.requests[0]?.headers).toMatchObject({ 'if-match': '"1"', 'x-trace': 'b' });
    const left = store.pets.delete({ petId: 1 }, { signal: AbortSignal.abort(new Error('enough')) });
    await expect(left).rejects.toThrow();
    expect(recording.requests).toHaveLength(1);
  });

  test('refuses an option that does not exist, which TypeScript does not see in every variable', async () => {
    const options: { timeout?: number } = Object.assign({ timeout: 5 }, { signla: 1 });
    const message = /^`signla` is not an option of a call\. Use `timeout`, `deadline`, `maxRetries`, /;
    await expect(storeOf().pets.create({ body: { name: 'Rex', categoryId: 3 } }, options)).rejects.toThrow(message);
    await expect(collect(storeOf().pets.list({}, options))).rejects.toThrow(message);
    expect(sent).toEqual([]);
  });
});

describe('a list', () => {
  test('is its first page if it is awaited, and all items if it is iterated over', async () => {
    const list = storeOf().pets.list({ limit: 2 });
    const page = await list;
    expect(page.map(({ id }) => id)).toEqual([1, 2]);
    expect((await list).nextCursor).toBe(page.nextCursor);
    expect(sent).toEqual(['GET /pets?limit=2']);
    expect((await collect(list)).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
    expect(sent).toHaveLength(4);
  });

  test('continues from a cursor with its filter, and returns its pages', async () => {
    const query = { limit: 2, status: 'available' } as const;
    const first = await storeOf().pets.list(query);
    expect(JSON.stringify(first)).toBe(JSON.stringify([...first]));
    const pages = await collect(
      storeOf()
        .pets.list({ ...query, cursor: first.nextCursor })
        .pages(),
    );
    expect(pages.map((page) => page.map(({ id }) => id))).toEqual([[3, 4], [5]]);
    expect(pages.map(({ nextCursor }) => typeof nextCursor)).toEqual(['string', 'undefined']);
    expect(sent.every((request) => request.includes('status=available'))).toBe(true);
  });

  test('requests no further pages when the consumer stops', async () => {
    for await (const { id } of storeOf().pets.list({ limit: 2 })) if (id === 3) break;
    expect(sent).toHaveLength(2);
  });

  test('ends when its signal aborts', async () => {
    const controller = new AbortController();
    const pets = storeOf().pets.list({ limit: 2 }, { signal: controller.signal });
    const iterate = async () => {
      for await (const { id } of pets) if (id === 2) controller.abort('enough');
    };
    await expect(iterate()).rejects.toMatchObject({ name: 'AbortError', cause: 'enough', attempts: 0 });
    expect(sent).toHaveLength(1);
  });

  test.each([
    ['another host', (value: string) => value.replace(/<https?:..[^/]+/, '<http://thief.example')],
    ['another path', (value: string) => value.replace(/<[^?]+/, '<https://thief.example/other')],
    ['no host', (value: string) => value.replace(/<[^?]+/, '<')],
    ['a part of the page', (value: string) => value.replace('>', '#more>')],
  ])('follows a Link to %s at the base URL of the client, so the key is sent nowhere else', async (_, link) => {
    expect(await collect(storeOf(link).pets.list({ limit: 2 }))).toHaveLength(5);
    expect(sent).toEqual(Array(3).fill(expect.stringMatching(/^GET \/pets\?[^#]+$/)));
  });

  test('sends nothing unless it is awaited or iterated over', async () => {
    const list: ListCall<unknown> = storeOf().pets.list();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sent).toEqual([]);
    await list.finally(() => sent.push('done'));
    expect(sent).toEqual(['GET /pets', 'done']);
  });
});

test.each([
  ['create', { name: 'Rex', categoryId: 3 }],
  ['delete', { petId: 1, body: {}, statuss: 'sold' }],
])('what is no parameter of %s is refused, because servers log URLs', async (name, params) => {
  const method: unknown = Reflect.get(storeOf().pets, name);
  const call = async () => (typeof method === 'function' ? method(params) : undefined);
  await expect(call()).rejects.toThrow(/^`(name|statuss)` is not a parameter of \/pets.*`body`\.$/);
  expect(sent).toEqual([]);
});

describe('a function of an operation', () => {
  test('works with any client', async () => {
    const store = storeOf();
    const pet = await createPet(store, { body: { name: 'Mia', categoryId: 3 } });
    expect(await listPets(store, { id: [pet.id] })).toEqual([pet]);
    expect((await getKey(store).withResponse()).response.status).toBe(200);
  });

  type Bundle = { outputFiles: { text: string }[] };
  test('cannot have the name of a value of the root entry, which it would replace', () => {
    const values = Object.keys(client).filter((name) => /^[a-z]/.test(name));
    expect(takenNames).toEqual(expect.arrayContaining(values));
  });

  const { buildSync }: { buildSync: (options: object) => Bundle } = createRequire(
    join(root, 'packages/tooling/package.json'),
  )('esbuild');
  const functions = Object.keys(operations).filter((name) => name !== 'namedMethods');
  /** The functions of operations in the bundle of a page that imports some of them. */
  const bundled = (imported: string) => {
    const { outputFiles } = buildSync({
      stdin: {
        contents: `import { ${imported} } from './index.ts'; console.log(${imported});`,
        resolveDir: join(import.meta.dirname, '../src/operations'),
      },
      bundle: true,
      treeShaking: true,
      format: 'esm',
      write: false,
    });
    const code = outputFiles[0]?.text ?? '';
    return functions.filter((name) => code.includes(`function ${name}(`));
  };

  test.each(functions)('%s can be bundled alone', (name) => {
    expect(bundled(name)).toEqual([name]);
  });

  test('is bundled with all others for the client with methods, but not for a plain query', () => {
    expect(bundled('createAnimalStore')).toEqual(functions);
    expect(bundled('unwrap')).toEqual([]);
  });
});
