import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openStorage } from '../../../src/operations/storage/index.ts';
import { startTestServer, type TestServer, temporaryDatabase } from '../../harness.ts';

let database: Awaited<ReturnType<typeof temporaryDatabase>>;
/** Two servers on the same data, as in two processes. */
let server: TestServer;
let other: TestServer;
beforeAll(async () => {
  database = await temporaryDatabase();
  server = await startTestServer({
    databaseUrl: database.url,
    config: { trustProxy: ['loopback'] },
  });
  other = await startTestServer({ databaseUrl: database.url });
});
afterAll(async () => {
  await Promise.all([server.stop(), other.stop()]);
  await database.remove();
});

const addPet = (to: TestServer, name: string) => to.call('createPet', { body: { name, categoryId: 1 } });
const idsOf = (pets: { id: number }[]) => pets.map(({ id }) => id);

describe('a page that is requested again', () => {
  test.each([
    ['by the same server', () => server],
    ['elsewhere', () => other],
  ])('shows changes made %s in the meantime', async (_, writer) => {
    for (let count = 0; count < 5; count += 1) {
      const { body } = await addPet(writer(), 'Rex');
      for (let again = 0; again < 3; again += 1) {
        const listed = await server.call('listPets', { query: { limit: 100 } });
        expect(idsOf(listed.body).at(-1)).toBe(body.id);
      }
    }
  });

  test('links to the host and scheme of the request', async () => {
    for (let count = 0; count < 3; count += 1) {
      for (const [host, scheme] of [
        ['a.example', 'http'],
        ['b.example:81', 'http'],
        ['a.example', 'https'],
      ]) {
        const headers = { host: host ?? '', 'x-forwarded-proto': scheme ?? '' };
        expect((await ask('GET', '/v1/pets?limit=1', headers)).link).toMatch(`<${scheme}://${host}/v1/pets?`);
      }
    }
  });

  test('has no body for HEAD, and all of it for the next GET', async () => {
    const asked = [];
    for (const method of ['GET', 'HEAD', 'GET', 'HEAD', 'GET']) asked.push(await ask(method, '/v1/pets?limit=2', {}));
    const bodies = asked.map(({ text }) => text);
    expect(bodies).toEqual([bodies[0], '', bodies[0], '', bodies[0]]);
    expect(bodies[0]).toMatch(/^\[\{/);
    expect(new Set(asked.map(({ length }) => length)).size).toBe(1);
  });
});

/** Sends a request with Node's own client, which allows a test to set Host. */
function ask(method: string, path: string, headers: Record<string, string>) {
  return new Promise<{ text: string; link: string; length: string }>((resolve, reject) => {
    const authorization = `Bearer ${server.key}`;
    const sent = request(`${server.url}${path}`, { method, headers: { authorization, ...headers } }, (response) => {
      const parts: string[] = [];
      response.setEncoding('utf8').on('data', (part: string) => parts.push(part));
      const { link = '', 'content-length': length = '' } = response.headers;
      response.on('end', () => resolve({ text: parts.join(''), link: String(link), length }));
    });
    sent.on('error', reject).end();
  });
}

/** A server on the same data that counts its queries for pets. */
async function startCountingServer() {
  const storage = await openStorage(database.url);
  let queries = 0;
  const listPets: typeof storage.reader.listPets = (query) => {
    queries += 1;
    return storage.reader.listPets(query);
  };
  const findPet: typeof storage.reader.findPet = (id) => {
    queries += 1;
    return storage.reader.findPet(id);
  };
  const counting = await startTestServer({ storage: { ...storage, reader: { ...storage.reader, listPets, findPet } } });
  const queriesOf = async (run: () => Promise<unknown>) => {
    const before = queries;
    await run();
    return queries - before;
  };
  return { counting, queriesOf, [Symbol.asyncDispose]: () => counting.stop() };
}

test('a repeated page needs no query until data changes, in this process or another', async () => {
  await using started = await startCountingServer();
  const { counting, queriesOf } = started;
  const [key, otherKey] = [await counting.createKey(), await counting.createKey()];
  // Long enough to be worth keeping.
  for (let count = 0; count < 12; count += 1) await addPet(server, 'A long name '.repeat(6));
  const list = (caller: string) => counting.call('listPets', { key: caller, query: { limit: 100 } });
  const listTenTimes = async () => {
    for (let count = 0; count < 10; count += 1) await list(key);
  };
  // More than the first two need a query only if the server saves usage in the meantime, which also changes the data.
  expect(await queriesOf(listTenTimes)).toBeLessThan(6);
  expect(await queriesOf(() => list(otherKey))).toBe(1);
  for (const writer of [counting, server]) {
    const { body } = await addPet(writer, 'Rex');
    expect(idsOf((await list(key)).body).at(-1)).toBe(body.id);
    expect(await queriesOf(listTenTimes)).toBeLessThan(6);
  }
});

test('a 304 needs no query until data changes', async () => {
  await using started = await startCountingServer();
  const { counting, queriesOf } = started;
  const key = await counting.createKey();
  const first = await counting.call('listPets', { key, query: { limit: 1 } });
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
  const ask = () => counting.call('listPets', { key, headers, query: { limit: 1 } });
  const queries = await queriesOf(async () => {
    for (let count = 0; count < 10; count += 1) expect((await ask()).status).toBe(304);
  });
  expect(queries).toBeLessThan(6);
  await addPet(server, 'Rex');
  expect(await queriesOf(ask)).toBe(1);
});

test('a HEAD request with the current ETag gets a 304, as a GET request does', async () => {
  const first = await server.call('listPets', { query: { limit: 1 } });
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
  for (const method of ['HEAD', 'GET']) {
    const { status, text } = await server.call('listPets', { method, headers, query: { limit: 1 } });
    expect([method, status, text]).toEqual([method, 304, '']);
  }
});

test('a single pet is read from the database each time', async () => {
  await using started = await startCountingServer();
  const { counting, queriesOf } = started;
  const key = await counting.createKey();
  const { body: pet } = await addPet(counting, 'A long name '.repeat(20));
  const path = { petId: pet.id };
  await counting.call('getPet', { key, path });
  const tenTimes = async () => {
    for (let count = 0; count < 10; count += 1) await counting.call('getPet', { key, path });
  };
  expect(await queriesOf(tenTimes)).toBe(10);
});
