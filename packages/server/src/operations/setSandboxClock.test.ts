import { banRules, limits, plans } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { describeCommonResponses } from '../../test/common-responses.ts';
import { type CallParts, NOON, startTestServer, type TestServer } from '../../test/harness.ts';

const DAY = 86_400_000;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ config: { sandboxes: true } });
});
afterAll(() => server.stop());

const valid = { body: { advanceSeconds: 86_400 } };

const minuteEnd = (time: number) => String(Math.floor(time / 60_000 + 1) * 60);

/** A sandbox of a new key, and the key of another sandbox. */
async function newSandbox(on = server) {
  const [{ secret: key, key: record }, other] = [await on.keys.create({ plan: 'free' }), await on.createKey('free')];
  const moveTo = async (time: number) => {
    const { status } = await on.call('setSandboxClock', { key, body: { time: new Date(time).toISOString() } });
    expect(status).toBe(200);
  };
  const list = (of = key) => on.call('listPets', { key: of });
  return { key, record, other, moveTo, list, call: on.call };
}

describe('200', () => {
  test('the clock continues from the new time, in headers and bodies, and no other sandbox notices', async () => {
    const { key, other, moveTo, list } = await newSandbox();
    await moveTo(NOON + DAY);
    const before = await list();
    expect(before.headers.get('date')).toBe(new Date(NOON + DAY).toUTCString());
    expect(before.headers.get('x-ratelimit-reset')).toBe(minuteEnd(NOON + DAY));
    const order = await server.call('createOrder', { key, body: { petId: 1 } });
    expect(order.body.createdAt).toBe(new Date(NOON + DAY).toISOString());
    const elsewhere = await list(other);
    expect(elsewhere.headers.get('date')).toBe(new Date(NOON).toUTCString());
    expect(elsewhere.headers.get('x-ratelimit-reset')).toBe(minuteEnd(NOON));
  });

  test('the clock can be moved by seconds', async () => {
    const key = await server.createKey();
    for (const days of [1, 2]) {
      const { body } = await server.call('setSandboxClock', { ...valid, key });
      expect(body).toEqual({ time: new Date(NOON + days * DAY).toISOString() });
    }
  });

  test('ends a minute, a ban and a day of the quota', async () => {
    const { moveTo, list, call, key } = await newSandbox();
    const useUp = async () => {
      for (let used = 0; used < plans.free.perMinute; used += 1) await list();
      return (await list()).status;
    };
    expect(await useUp()).toBe(429);
    await moveTo(NOON + banRules.graceSeconds * 1_000 + 1_000);
    for (let refused = 0; refused <= banRules.toleratedRefusals; refused += 1) await list();
    expect((await list()).body.code).toBe('key_banned');
    // The key is banned in the sandbox only, so its clock can be moved.
    await moveTo(NOON + 60_000 + banRules.firstSeconds * 1_000);
    expect((await list()).status).toBe(200);
    expect((await call('getKey', { key })).body.day.remaining).toBeLessThan(plans.free.perDay - plans.free.perMinute);
    await moveTo(NOON + DAY);
    expect((await call('getKey', { key })).body.day.remaining).toBe(plans.free.perDay - 1);
  });

  test('ends an order, the key, a rotated secret, and a deprecated operation', async () => {
    const { key, record, moveTo, list, call } = await newSandbox();
    const { body: order } = await call('createOrder', { key, body: { petId: 1 } });
    await moveTo(NOON + limits.orderSeconds * 1_000 + 60_000);
    expect((await call('getOrder', { key, path: { orderId: order.id } })).body.status).toBe('expired');
    expect((await call('getPet', { key, path: { petId: 1 } })).status).toBe(200);
    await moveTo(Date.parse('2030-12-05T00:00:00Z'));
    expect((await call('getPet', { key, path: { petId: 1 } })).status).toBe(410);
    await call('resetSandbox', { key });
    await server.keys.rotate(record.id, 7 * DAY);
    expect((await list()).headers.get('x-key-expires')).toBe(new Date(NOON + 7 * DAY).toISOString());
    await moveTo(NOON + 7 * DAY);
    expect((await list()).status).toBe(401);
    // The secret has not ended on the server, so that the sandbox can be reset.
    expect((await call('resetSandbox', { key })).status).toBe(204);
    expect((await list()).status).toBe(200);
  });

  describeOnPostgres('with the keys in PostgreSQL', (postgres) => {
    test('each key has its own data and clock', async () => {
      await using on = await startTestServer({ config: { sandboxes: true }, databaseUrl: await postgres.freshUrl() });
      const { key, other, moveTo, list } = await newSandbox(on);
      await on.call('createPet', { key, body: { name: 'Nala', categoryId: 1 } });
      await moveTo(NOON + DAY);
      expect((await list()).body).toHaveLength((await list(other)).body.length + 1);
      expect((await list(other)).headers.get('date')).toBe(new Date(NOON).toUTCString());
    });
  });
});

describe('400', () => {
  const wrong: [where: string, request: CallParts][] = [
    ['query/unknown', { ...valid, query: { unknown: 'wrong' } }],
    ['body', { body: {} }],
    ['body/advanceSecond', { body: { advanceSecond: 1 } }],
    ['body', { body: { advanceSeconds: 1, time: new Date(NOON + DAY).toISOString() } }],
    ['body/advanceSeconds', { body: { advanceSeconds: 0 } }],
  ];

  test.each(wrong)('an invalid %s is rejected and named in the details', async (where, request) => {
    const response = await server.call('setSandboxClock', request);
    expect(response.status).toBe(400);
    expect(response.body.details.map((detail: { where: string }) => detail.where)).toContain(where);
  });
});

describe('409', () => {
  test.each([new Date(NOON).toISOString(), '9999-01-01T00:00:00Z', '2027-12-31T23:59:60Z'])(
    'the clock is not moved to %s',
    async (time) => {
      const key = await server.createKey();
      const { status, body } = await server.call('setSandboxClock', { key, body: { time } });
      expect([status, body.code]).toEqual([409, 'sandbox_clock_not_moved']);
      expect(body.message).toContain(new Date(NOON).toISOString());
      expect((await server.call('listPets', { key })).headers.get('date')).toBe(new Date(NOON).toUTCString());
    },
  );
});

describe('404', () => {
  test('on a server without sandboxes', async () => {
    await using plain = await startTestServer();
    const response = await plain.call('setSandboxClock', valid);
    expect([response.status, response.body.code]).toEqual([404, 'sandbox_not_found']);
    expect((await plain.call('listPets')).headers.get('x-ratelimit-reset')).toBe(minuteEnd(NOON));
  });
});

describeCommonResponses('setSandboxClock', valid);
