import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeCommonResponses } from '../../test/common-responses.ts';
import { placeOrder } from '../../test/end-of-order.ts';
import { startTestServer, type TestServer } from '../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const rex = { name: 'Rex', categoryId: 3, status: 'available' };

async function addPet(pet: object = rex, on = server): Promise<{ id: number; etag: string }> {
  const { body, headers } = await on.call('createPet', { body: pet });
  return { id: body.id, etag: headers.get('etag') ?? '' };
}

/** Sends a patch that any version accepts, unless headers say otherwise. */
function update(petId: number, body: unknown, headers: Record<string, string> = { 'if-match': '*' }) {
  return server.call('updatePet', { path: { petId }, body, headers });
}

async function petOf(petId: number) {
  return (await server.call('getPet', { path: { petId } })).body;
}

describe('200', () => {
  test.each([
    [{ name: 'Rexi' }, { ...rex, name: 'Rexi' }],
    [{ categoryId: -7 }, { ...rex, categoryId: -7 }],
    [{ status: 'sold' }, { ...rex, status: 'sold' }],
    [{ status: null }, { name: 'Rex', categoryId: 3 }],
    [
      { status: null, name: 'Rexi', categoryId: 0 },
      { name: 'Rexi', categoryId: 0 },
    ],
  ])('%j changes its properties and keeps all others', async (patch, changed) => {
    const { id, etag } = await addPet();
    const response = await update(id, patch, { 'if-match': etag });
    expect(response.status).toBe(200);
    expect(response.body).toStrictEqual({ id, ...changed });
    expect(await petOf(id)).toStrictEqual(response.body);
  });

  test('adds a status to an animal without one, and removing a missing status changes nothing', async () => {
    const { id } = await addPet({ name: 'Mia', categoryId: 7 });
    expect((await update(id, { status: null })).body).toStrictEqual({ id, name: 'Mia', categoryId: 7 });
    const given = { id, name: 'Mia', categoryId: 7, status: 'sold' };
    expect((await update(id, { status: 'sold' })).body).toStrictEqual(given);
    expect((await server.call('listPets', { query: { id, status: 'sold' } })).body).toStrictEqual([given]);
  });

  test.each([(etag: string) => `${etag},`, (etag: string) => `, ,\t${etag} ,,"other" ,`])(
    'empty elements of a list of ETags are ignored (RFC 9110 5.6.1.2)',
    async (listOf) => {
      const { id, etag } = await addPet();
      const value = listOf(etag);
      const unchanged = await server.call('getPet', { path: { petId: id }, headers: { 'if-none-match': value } });
      expect(unchanged.status).toBe(304);
      expect((await update(id, { name: 'Rexi' }, { 'if-match': value })).status).toBe(200);
      expect((await update(id, { name: 'Rex' }, { 'if-match': value })).status).toBe(412);
    },
  );

  test('the ETag of the response is that of the animal, and names the version for the next change', async () => {
    const { id, etag } = await addPet();
    const first = await update(id, { name: 'Rexi' }, { 'if-match': `"other", ${etag}` });
    const current = (await server.call('getPet', { path: { petId: id } })).headers.get('etag');
    expect(first.headers.get('etag')).toBe(current);
    expect(current).not.toBe(etag);
    expect((await update(id, { name: 'Rex' }, { 'if-match': current ?? '' })).headers.get('etag')).toBe(etag);
  });

  test('an animal with a placed order keeps its status; everything else may change', async () => {
    const { petId } = await placeOrder(server);
    const patch = { name: 'Promised', categoryId: 9, status: 'pending' };
    expect((await update(petId, patch)).body).toEqual({ id: petId, ...patch });
  });
});

describe('400', () => {
  test.each([
    ['{}', 'body'],
    ['[]', 'body'],
    ['null', 'body'],
    ['{"name":null}', 'body/name'],
    ['{"name":""}', 'body/name'],
    ['{"categoryId":null}', 'body/categoryId'],
    ['{"categoryId":9007199254740993}', 'body/categoryId'],
    ['{"status":"lost"}', 'body/status'],
    ['{"status":""}', 'body/status'],
    ['{"id":5}', 'body/id'],
    ['{"name":"x","colour":"red"}', 'body/colour'],
  ])('%s is refused, naming %s, and nothing changes', async (body, where) => {
    const { id } = await addPet();
    const response = await update(id, body);
    expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
    expect(response.body.details.map((detail: { where: string }) => detail.where)).toContain(where);
    expect(await petOf(id)).toEqual({ id, ...rex });
  });

  test.each(['x', '"x', 'W/x', '"a" "b"', ',', ', ,', `"${'x'.repeat(1_025)}"`])(
    'the If-Match %j is refused',
    async (value) => {
      const { id } = await addPet();
      const response = await update(id, { name: 'Rexi' }, { 'if-match': value });
      expect([response.status, response.body.details[0].where]).toEqual([400, 'header/If-Match']);
      expect(await petOf(id)).toEqual({ id, ...rex });
    },
  );
});

describe('404', () => {
  test.each([0, 999_999])('no animal has the ID %d, with any If-Match', async (petId) => {
    for (const headers of [{ 'if-match': '*' }, { 'if-match': '"x"' }]) {
      const response = await update(petId, { name: 'Rexi' }, headers);
      expect([response.status, response.body.code]).toEqual([404, 'pet_not_found']);
    }
  });
});

describe('409', () => {
  test.each(['available', 'sold', null])(
    'a placed order forbids the status %s, and nothing changes',
    async (status) => {
      const order = await placeOrder(server);
      const response = await update(order.petId, { name: 'Rexi', status });
      expect([response.status, response.body.code]).toEqual([409, 'pet_has_order']);
      expect(await petOf(order.petId)).toMatchObject({ name: 'Rex', status: 'pending' });
      await server.call('cancelOrder', { path: { orderId: order.id } });
      expect((await update(order.petId, { status })).status).toBe(200);
    },
  );
});

describe('412', () => {
  test('If-Match names an older version, another one or a weak one: nothing changes', async () => {
    const { id, etag } = await addPet();
    const current = (await update(id, { name: 'Rexi' })).headers.get('etag');
    for (const value of [etag, '"x"', `W/${current}`]) {
      const response = await update(id, { name: 'Lost' }, { 'if-match': value });
      expect([response.status, response.body.code]).toEqual([412, 'precondition_failed']);
    }
    expect((await petOf(id)).name).toBe('Rexi');
  });

  test('exactly one of many changes to one version succeeds', async () => {
    const { id, etag } = await addPet();
    const changes = Array.from({ length: 20 }, (_, index) => update(id, { name: `${index}` }, { 'if-match': etag }));
    const statuses = (await Promise.all(changes)).map((response) => response.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412)).toHaveLength(19);
  });
});

describe('415', () => {
  test.each(['application/json', 'application/json-patch+json'])('%s is not a merge patch', async (type) => {
    const { id } = await addPet();
    const response = await update(id, { name: 'Rexi' }, { 'if-match': '*', 'content-type': type });
    expect([response.status, response.body.code]).toEqual([415, 'unsupported_media_type']);
    expect(response.body.message).toContain('application/merge-patch+json');
  });
});

describe('428', () => {
  test('without If-Match nothing changes', async () => {
    const { id } = await addPet();
    const response = await update(id, { name: 'Rexi' }, {});
    expect([response.status, response.body.code]).toEqual([428, 'precondition_required']);
    expect(await petOf(id)).toEqual({ id, ...rex });
  });
});

describeCommonResponses(
  'updatePet',
  { path: { petId: 1 }, body: { name: 'Rexi' }, headers: { 'if-match': '*' } },
  async (on) => {
    const path = { petId: (await addPet(rex, on)).id };
    const headers = { 'if-match': '*' };
    return { first: { path, headers, body: { name: 'Rexi' } }, other: { path, headers, body: { name: 'Rexa' } } };
  },
);
