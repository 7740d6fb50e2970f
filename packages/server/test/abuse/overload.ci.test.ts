import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { mintSecret } from '../../../service/src/keys/key-format.ts';
import { concurrency } from '../../../service/src/rate-limit/concurrency.ts';
import { eventually } from '../../../testing/src/child.ts';
import { operations } from '../../src/operations/index.ts';
import { openStorage } from '../../src/operations/storage/index.ts';
import { type CallParts, requestsParsed, startTestServer, type TestServer, temporaryDatabase } from '../harness.ts';

/** A server whose operations wait, so that requests are in progress for as long as a test needs. */
async function startWaitingServer() {
  const gate = Promise.withResolvers<void>();
  let waiting = 0;
  const wait = () => {
    waiting += 1;
    return gate.promise;
  };
  const getPet: typeof operations.getPet = (call) => wait().then(() => operations.getPet(call));
  const createPet: typeof operations.createPet = (call) => wait().then(() => operations.createPet(call));
  // Only the first writing operation starts: the others wait in the queue of the storage.
  const server = await startTestServer({ operations: { ...operations, getPet, createPet } });
  const untilWaiting = (count: number) =>
    eventually(
      () => waiting >= count,
      () => `${waiting} of ${count} requests are in progress.`,
    );
  return { server, open: gate.resolve, untilWaiting };
}

const read: CallParts = { path: { petId: 0 } };
const creation: CallParts = { body: { name: 'Rex', categoryId: 1 } };

function times<Result>(count: number, call: () => Promise<Result>): Promise<Result>[] {
  return Array.from({ length: count }, call);
}

async function statuses(responses: Promise<{ status: number }>[]): Promise<Set<number>> {
  return new Set((await Promise.all(responses)).map(({ status }) => status));
}

/** Makes calls until the server has so many in progress that it refuses one. Those that it accepts stay in progress. */
async function refusedBy(server: TestServer, call: () => ReturnType<TestServer['call']>) {
  const calls: ReturnType<TestServer['call']>[] = [];
  for (let count = 0; count < 2 * concurrency.total; count += 1) {
    calls.push(call());
    // If the machine is slow, the refusal may come only after further calls.
    const pause = new Promise<undefined>((resolve) => setTimeout(resolve, 200, undefined));
    const response = await Promise.race([...calls, pause]);
    if (response !== undefined) return response;
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  }
  throw new Error('No request is refused.');
}

describe('more concurrent operations than a process accepts', () => {
  test('a key gets 503 with Retry-After above its share, while other keys and health checks are served', async () => {
    const { server, open, untilWaiting } = await startWaitingServer();
    const held = times(concurrency.perKey, () => server.call('getPet', read));
    await untilWaiting(concurrency.perKey);
    const refused = await server.call('getPet', read);
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      503,
      'service_unavailable',
      '2',
    ]);
    expect(refused.body.message).toContain('Nothing was changed');
    const other = await server.createKey();
    expect((await server.call('listPets', { key: other })).status).toBe(200);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    open();
    expect(await statuses(held)).toEqual(new Set([404]));
    expect((await server.call('getPet', read)).status).toBe(404);
    expect(server.log()).not.toContain('"level":50');
    await server.stop();
  });

  test('writes are refused first, and reads continue', async () => {
    const { server, open } = await startWaitingServer();
    const keys = [await server.createKey(), await server.createKey()];
    const held = keys.flatMap((key) => times(concurrency.perKey, () => server.call('createPet', { ...creation, key })));
    expect(concurrency.writes).toBe(2 * concurrency.perKey);
    const refused = await refusedBy(server, () => server.call('createPet', creation));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect((await server.call('listPets')).status).toBe(200);
    open();
    const results = await statuses(held);
    expect([...results].filter((status) => status !== 201 && status !== 503)).toEqual([]);
    expect((await server.call('createPet', creation)).status).toBe(201);
    await server.stop();
  });
});

describe('made-up keys', () => {
  /** A server that counts the statements that look up keys, behind a proxy that says where its callers are. */
  async function startCountingServer() {
    const database = await temporaryDatabase();
    const storage = await openStorage(database.url);
    const counted = { statements: 0, hold: Promise.resolve() };
    const findBySecrets: typeof storage.keys.findBySecrets = async (hashes) => {
      counted.statements += 1;
      await counted.hold;
      return storage.keys.findBySecrets(hashes);
    };
    const server = await startTestServer({
      databaseUrl: database.url,
      storage: { ...storage, keys: { ...storage.keys, findBySecrets } },
      config: { trustProxy: 1 },
    });
    const send = (key: string, address: string) =>
      server.call('listPets', { key, headers: { 'x-forwarded-for': address } });
    const flood = (count: number, addressOf: (index: number) => string) =>
      statuses(
        Array.from({ length: count }, (_, index) => send(mintSecret('as', 'test', randomBytes), addressOf(index))),
      );
    const end = () => server.stop().then(database.remove);
    return { server, counted, send, flood, end };
  }

  test('do not shut out a valid key from the same address, whether or not this process has seen it', async () => {
    const { server, send, flood, end } = await startCountingServer();
    for (let round = 0; round < 3; round += 1) await flood(60, () => '192.0.2.7');
    expect((await send(mintSecret('as', 'test', randomBytes), '192.0.2.7')).status).toBe(429);
    const unseen = await server.createKey();
    expect((await send(unseen, '192.0.2.7')).status).toBe(200);
    await end();
  });

  const rotating: [name: string, addressOf: (index: number) => string][] = [
    ['one IPv4 address', () => '192.0.2.7'],
    ['one IPv4 address with changing ports', (index) => `192.0.2.7:${1_000 + index}`],
    ['an IPv4 address in both forms', (index) => (index % 2 === 0 ? '192.0.2.7' : '::ffff:192.0.2.7')],
    ['one IPv6 /64', (index) => `2001:db8:1:2::${index.toString(16)}`],
  ];
  test.each(rotating)('cost few statements from %s that has used up its minute', async (_, addressOf) => {
    const { counted, flood, end } = await startCountingServer();
    await flood(61, addressOf);
    counted.statements = 0;
    counted.hold = requestsParsed(400);
    expect(await flood(400, addressOf)).toEqual(new Set([429]));
    // Without sharing, these are 400. The first one waits until all requests have arrived, so that the others can share.
    expect(counted.statements).toBeLessThan(200);
    await end();
  });
});
