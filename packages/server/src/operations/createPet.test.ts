import { connect } from 'node:net';
import { limits } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeCommonReplies } from '../../test/common-replies.ts';
import { newIdempotencyKey, noteReply, startTestServer, type TestServer } from '../../test/harness.ts';
import { createPet } from './createPet.ts';
import { operations } from './index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const rex = { name: 'Rex', categoryId: 3, status: 'available' };

async function countPets(): Promise<number> {
  return (await server.call('listPets', { query: { limit: 100 } })).body.length;
}

describe('201', () => {
  test('answers the animal with its id, and Location leads to it', async () => {
    const reply = await server.call('createPet', { body: rex });
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({ id: expect.any(Number), ...rex });
    const location = reply.headers.get('location') ?? '';
    expect(location).toBe(`${server.url}/v1/pets/${reply.body.id}`);
    const found = await fetch(location, { headers: { authorization: `Bearer ${server.key}` } });
    expect(await found.json()).toEqual(reply.body);
  });

  test('a status left out stays absent', async () => {
    const { body } = await server.call('createPet', { body: { name: 'Mia', categoryId: 7 } });
    expect(body).toEqual({ id: body.id, name: 'Mia', categoryId: 7 });
    expect((await server.call('getPet', { path: { petId: body.id } })).body).toEqual(body);
  });

  test.each(['available', 'pending', 'sold'])('may be created as %s', async (status) => {
    expect((await server.call('createPet', { body: { ...rex, status } })).body.status).toBe(status);
  });

  test.each([
    ['one character', 'x'],
    ['255 characters', 'é'.repeat(255)],
    ['255 characters outside the basic plane', '🦄'.repeat(255)],
    ['quotes and backslashes', `"'\\ --`],
    ['right to left', 'كلب'],
    ['spaces', '  '],
    ['what looks like a property of every object', '__proto__'],
  ])('a name of %s is stored as sent', async (_, name) => {
    const { status, body } = await server.call('createPet', { body: { name, categoryId: 1 } });
    expect(status).toBe(201);
    expect((await server.call('getPet', { path: { petId: body.id } })).body.name).toBe(name);
  });

  test.each(['9007199254740991', '-9007199254740991', '0', '1.0', '1e2', '-0'])(
    'the categoryId %s is an exact integer',
    async (literal) => {
      const { status, body } = await server.call('createPet', { body: `{"name":"x","categoryId":${literal}}` });
      expect(status).toBe(201);
      expect(body.categoryId).toBe(Number(literal) + 0);
    },
  );

  test('a name need not be unique', async () => {
    const [first, second] = await Promise.all([
      server.call('createPet', { body: rex }),
      server.call('createPet', { body: rex }),
    ]);
    expect(first.body.id).not.toBe(second.body.id);
  });

  test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset="UTF-8"'])(
    'the content type %s is JSON',
    async (type) => {
      const reply = await server.call('createPet', { body: rex, headers: { 'content-type': type } });
      expect(reply.status).toBe(201);
    },
  );
});

describe('201 with an Idempotency-Key', () => {
  test('a repetition gets the first reply again, and no second animal is added', async () => {
    const headers = { 'idempotency-key': newIdempotencyKey() };
    const first = await server.call('createPet', { body: rex, headers });
    const before = await countPets();
    const again = await server.call('createPet', {
      body: '{ "status": "available", "categoryId": 3, "name": "Rex" }',
      headers,
    });
    expect(again.status).toBe(201);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await countPets()).toBe(before);
  });

  test('each API key has its own Idempotency-Keys', async () => {
    const headers = { 'idempotency-key': newIdempotencyKey() };
    const first = await server.call('createPet', { body: rex, headers });
    const other = await server.call('createPet', { body: rex, headers, key: await server.createKey() });
    expect(other.body.id).not.toBe(first.body.id);
  });

  test('after 24 hours the key is free again', async () => {
    const headers = { 'idempotency-key': newIdempotencyKey() };
    const first = await server.call('createPet', { body: rex, headers });
    const now = server.clock.now;
    server.clock.now = now + limits.idempotencySeconds * 1_000;
    expect((await server.call('createPet', { body: rex, headers })).body.id).toBe(first.body.id);
    server.clock.now += 1;
    expect((await server.call('createPet', { body: rex, headers })).body.id).not.toBe(first.body.id);
    server.clock.now = now;
  });

  test('a refused request is not kept, so it may be corrected under the same key', async () => {
    const headers = { 'idempotency-key': newIdempotencyKey() };
    expect((await server.call('createPet', { body: { name: 'x' }, headers })).status).toBe(400);
    expect((await server.call('createPet', { body: rex, headers })).status).toBe(201);
  });

  test('of many requests at once with one key exactly one adds an animal', async () => {
    const headers = { 'idempotency-key': newIdempotencyKey() };
    const before = await countPets();
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => server.call('createPet', { body: rex, headers })),
    );
    const ids = replies.filter((reply) => reply.status === 201).map((reply) => reply.body.id);
    expect(new Set(ids).size).toBe(1);
    expect(replies.every((reply) => reply.status === 201 || reply.status === 409)).toBe(true);
    expect(await countPets()).toBe(before + 1);
  });
});

describe('400', () => {
  test.each([
    ['{"categoryId":1}', 'body/name'],
    ['{"name":"x"}', 'body/categoryId'],
    ['{"name":"","categoryId":1}', 'body/name'],
    [`{"name":"${'x'.repeat(256)}","categoryId":1}`, 'body/name'],
    ['{"name":"a\\u0000b","categoryId":1}', 'body/name'],
    ['{"name":"a\\nb","categoryId":1}', 'body/name'],
    ['{"name":"\\ud800","categoryId":1}', 'body/name'],
    ['{"name":7,"categoryId":1}', 'body/name'],
    ['{"name":null,"categoryId":1}', 'body/name'],
    ['{"name":"x","categoryId":"1"}', 'body/categoryId'],
    ['{"name":"x","categoryId":1.5}', 'body/categoryId'],
    ['{"name":"x","categoryId":true}', 'body/categoryId'],
    ['{"name":"x","categoryId":9007199254740992}', 'body/categoryId'],
    ['{"name":"x","categoryId":9007199254740993}', 'body/categoryId'],
    ['{"name":"x","categoryId":9007199254740991.4}', 'body/categoryId'],
    ['{"name":"x","categoryId":1e999}', 'body/categoryId'],
    ['{"name":"x","categoryId":1e-999}', 'body/categoryId'],
    ['{"name":"x","categoryId":1,"status":"lost"}', 'body/status'],
    ['{"name":"x","categoryId":1,"status":null}', 'body/status'],
    ['{"name":"x","categoryId":1,"id":5}', 'body/id'],
    ['{"name":"x","categoryId":1,"__proto__":{"status":"sold"}}', 'body/__proto__'],
    ['[]', 'body'],
    ['null', 'body'],
    ['"Rex"', 'body'],
  ])('%s is refused, naming %s, and nothing is stored', async (body, where) => {
    const before = await countPets();
    const reply = await server.call('createPet', { body });
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
    expect(reply.body.details.map((detail: { where: string }) => detail.where)).toContain(where);
    expect(await countPets()).toBe(before);
  });

  test('every problem is named at once', async () => {
    const reply = await server.call('createPet', { body: { name: '', status: 'lost', colour: 'red' } });
    const places = reply.body.details.map((detail: { where: string }) => detail.where);
    expect(new Set(places)).toEqual(new Set(['body/name', 'body/categoryId', 'body/status', 'body/colour']));
  });

  test.each([
    ['cut off', '{"name":"x","categoryId":1'],
    ['with a trailing comma', '{"name":"x","categoryId":1,}'],
    ['with a key twice', '{"name":"x","name":"y","categoryId":1}'],
    ['followed by more', '{"name":"x","categoryId":1} x'],
    ['nested too deeply', '['.repeat(30_000)],
    ['with a bare NUL', '{"name":"\u0000","categoryId":1}'],
    ['not encoded as UTF-8', Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
  ])('a body %s is no JSON', async (_, body) => {
    const reply = await server.call('createPet', { body });
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_json']);
  });

  test('a missing body is named', async () => {
    const reply = await server.call('createPet', {});
    expect(reply.body.details).toEqual([{ where: 'body', what: 'is required' }]);
  });

  test.each([' ', 'a b', 'é', 'x'.repeat(256)])('the Idempotency-Key "%s" is refused', async (value) => {
    const reply = await server.call('createPet', { body: rex, headers: { 'idempotency-key': value } });
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
    expect(reply.body.details[0].where).toBe('header/Idempotency-Key');
  });
});

describe('401', () => {
  test('without a key a body is not even looked at: bad, huge and of the wrong type are all 401', async () => {
    for (const call of [
      { body: '{' },
      { body: 'x'.repeat(300_000) },
      { body: 'x', headers: { 'content-type': 'text/plain' } },
    ]) {
      expect((await server.call('createPet', { ...call, key: null })).status).toBe(401);
    }
  });
});

describe('408', () => {
  test('a body that stops coming is given up, with an Error', async () => {
    const impatient = await startTestServer({ timeouts: { headers: 200, request: 300 } });
    const reply = await sendHalf(impatient);
    expect(reply).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(reply).toContain('"code":"request_timeout"');
    for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id']) {
      expect(reply).toContain(`\r\n${name}: `);
    }
    noteReply('createPet', 408);
    await impatient.stop();
  });
});

describe('409', () => {
  test('a request is refused while the first with its Idempotency-Key is still running', async () => {
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const slow = await startTestServer({
      operations: {
        ...operations,
        createPet: async (call) => {
          entered.resolve();
          await gate.promise;
          return createPet(call);
        },
      },
    });
    const headers = { 'idempotency-key': newIdempotencyKey() };
    const first = slow.call('createPet', { body: rex, headers });
    await entered.promise;
    const second = await slow.call('createPet', { body: rex, headers });
    expect([second.status, second.body.code]).toEqual([409, 'idempotency_key_in_use']);
    expect(second.headers.get('retry-after')).toBe('1');
    gate.resolve();
    expect((await first).status).toBe(201);
    expect((await slow.call('createPet', { body: rex, headers })).headers.get('idempotency-replayed')).toBe('true');
    await slow.stop();
  });
});

describe('413', () => {
  test.each([limits.bodyBytes + 1, 1_000_000])('a body of %i bytes is too large', async (bytes) => {
    const reply = await server.call('createPet', { body: 'x'.repeat(bytes) });
    expect([reply.status, reply.body.code]).toEqual([413, 'body_too_large']);
    expect(reply.body.message).toContain(String(limits.bodyBytes));
  });
});

describe('415', () => {
  test.each([
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
    { 'content-type': 'application/jsonp' },
    { 'content-type': 'application/json; charset=latin1' },
    { 'content-type': '' },
    { 'content-encoding': 'gzip' },
  ])('%j is refused', async (headers) => {
    const reply = await server.call('createPet', { body: rex, headers });
    expect([reply.status, reply.body.code]).toEqual([415, 'unsupported_media_type']);
  });
});

describe('422', () => {
  test('another body under a used Idempotency-Key is refused, and nothing is added', async () => {
    const headers = { 'idempotency-key': newIdempotencyKey() };
    await server.call('createPet', { body: rex, headers });
    const before = await countPets();
    const reply = await server.call('createPet', { body: { ...rex, name: 'Rexi' }, headers });
    expect([reply.status, reply.body.code]).toEqual([422, 'idempotency_key_reused']);
    expect(await countPets()).toBe(before);
  });
});

describeCommonReplies('createPet', { body: rex });

/** Sends a request whose body never comes, and collects what comes back. */
function sendHalf({ url, key }: TestServer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes;
    });
    socket.on('end', () => resolve(received));
    socket.on('error', reject);
    socket.write(
      `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`,
    );
  });
}
