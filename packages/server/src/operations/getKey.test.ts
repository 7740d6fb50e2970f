import { banRules, plans } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { NewKey } from '../../../service/src/keys/new-key.ts';
import { describeCommonResponses } from '../../test/common-responses.ts';
import { NOON, startTestServer, type TestServer } from '../../test/harness.ts';

const DAY = 86_400_000;
const minuteEnd = Date.parse('2026-12-01T12:01:00Z') / 1_000;
const dayEnd = Date.parse('2026-12-02T00:00:00Z') / 1_000;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const create = (newKey: Partial<NewKey> = {}) => server.keys.create({ plan: 'free', ...newKey });
const getKey = (key: string) => server.call('getKey', { key });

describe('200', () => {
  test('states both windows, with this request counted, as the rate-limit headers do', async () => {
    const { key, secret } = await create();
    await server.call('listPets', { key: secret });
    const { status, headers, body } = await getKey(secret);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: key.id,
      plan: 'free',
      scope: 'write',
      minute: { limit: plans.free.perMinute, remaining: plans.free.perMinute - 2, reset: minuteEnd },
      day: { limit: plans.free.perDay, remaining: plans.free.perDay - 2, reset: dayEnd },
    });
    expect(headers.get('x-ratelimit-remaining')).toBe(String(body.minute.remaining));
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('etag')).toBeNull();
  });

  test('states both windows if fewer requests are left in the day', async () => {
    const { secret } = await create({ plan: 'enterprise', perMinute: 3, perDay: 3, name: 'Zoo' });
    expect((await getKey(secret)).body).toMatchObject({
      name: 'Zoo',
      plan: 'enterprise',
      minute: { limit: 3, remaining: 2, reset: minuteEnd },
      day: { limit: 3, remaining: 2, reset: dayEnd },
    });
  });

  test('states the scope of a key with the scope read, which may call this operation', async () => {
    const { secret } = await create({ scope: 'read' });
    const { status, body } = await getKey(secret);
    expect([status, body.scope]).toEqual([200, 'read']);
  });

  test('states the end of the key, or of the secret if that is sooner', async () => {
    const { key, secret } = await create({ expiresIn: 90 * DAY });
    expect((await getKey(secret)).body.expiresAt).toBe(new Date(NOON + 90 * DAY).toISOString());
    const rotated = await server.keys.rotate(key.id, DAY);
    expect((await getKey(secret)).body.expiresAt).toBe(new Date(NOON + DAY).toISOString());
    expect((await getKey(rotated.secret)).body.expiresAt).toBe(new Date(NOON + 90 * DAY).toISOString());
  });

  test('states the end of the last ban until the ban is forgotten', async () => {
    const { secret } = await create();
    for (let request = 0; request <= plans.free.perMinute; request += 1) await getKey(secret);
    server.clock.now += banRules.graceSeconds * 1_000;
    for (let refusal = 0; refusal <= banRules.toleratedRefusals; refusal += 1) await getKey(secret);
    const bannedUntil = server.clock.now + banRules.firstSeconds * 1_000;
    const banned = await getKey(secret);
    expect([banned.status, banned.body.code]).toEqual([429, 'key_banned']);
    const bannedAt = async (now: number) => {
      server.clock.now = now;
      return (await getKey(secret)).body.bannedUntil;
    };
    expect(await bannedAt(bannedUntil)).toBe(new Date(bannedUntil).toISOString());
    const forgottenAt = bannedUntil + banRules.forgetAfterSeconds * 1_000;
    expect(await bannedAt(forgottenAt - 1)).toBe(new Date(bannedUntil).toISOString());
    expect(await bannedAt(forgottenAt)).toBeUndefined();
    server.clock.now = NOON;
  });
});

test('a query parameter is refused, and named', async () => {
  const response = await server.call('getKey', { query: 'id=1' });
  expect([response.status, response.body.details[0].where]).toEqual([400, 'query/id']);
});

describe('X-Key-Expires', () => {
  const expires = async (key: string) => (await getKey(key)).headers.get('x-key-expires');

  test('is on every response of a key that expires within 30 days, and on no other', async () => {
    const soon = await create({ expiresIn: 30 * DAY });
    const end = new Date(NOON + 30 * DAY).toISOString();
    expect(await expires(soon.secret)).toBe(end);
    for (const path of ['/v1/pets', '/v1/nothing', '/v1/pets?limit=x', '/v1/pets/x']) {
      const { headers } = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${soon.secret}` } });
      expect([path, headers.get('x-key-expires')]).toEqual([path, end]);
    }
    expect(await expires((await create({ expiresIn: 30 * DAY + 1 })).secret)).toBeNull();
    expect(await expires((await create()).secret)).toBeNull();
    expect((await fetch(`${server.url}/v1/key`)).headers.get('x-key-expires')).toBeNull();
  });

  test('announces the end of the older secret after a rotation', async () => {
    const { key, secret } = await create();
    const rotated = await server.keys.rotate(key.id, DAY);
    expect(await expires(secret)).toBe(new Date(NOON + DAY).toISOString());
    expect(await expires(rotated.secret)).toBeNull();
  });
});

describeCommonResponses('getKey', {});
