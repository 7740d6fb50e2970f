import { type OperationId, operationFacts } from '@animal-store/contract';
import { contractJson } from '@animal-store/contract/document';
import { expect, test } from '@jest/globals';
import { StorageUnavailableError } from '../../../service/src/storage/storage.ts';
import { parseResponse } from '../../../testing/src/service/raw-response.ts';
import { sendBytes } from '../../../testing/src/service/wire.ts';
import type { ContractDocument } from '../../../tooling/src/contract/document.ts';
import { operationDocuments } from '../../../tooling/src/docs/operations/documented.ts';
import { wrongRequest } from '../../../tooling/src/docs/operations/error-examples.ts';
import { operations } from '../../src/operations/index.ts';
import { startImpatient } from '../common/each-response.ts';
import { precededBy } from '../common/idempotency.ts';
import { type CallParts, newIdempotencyKey, startTestServer, type TestServer } from '../harness.ts';

const contract: ContractDocument = JSON.parse(contractJson);
const documents = operationDocuments(contract);
/** So long before the end of a minute as the example of 429 says. */
const now = Date.parse('2026-12-01T12:00:18Z');

/** A request that is valid by contract. `other` is a second one for the test of Idempotency-Keys, about resource 2. */
function validRequest(id: OperationId, resource: 1 | 2 = 1): CallParts {
  const path = { petId: resource, orderId: resource };
  const bodies: Partial<Record<OperationId, object>> = {
    createPet: { name: `Rex ${resource}`, categoryId: 3 },
    createOrder: { petId: resource === 1 ? 3 : 2 },
    updatePet: { name: `Rex ${resource}` },
    setSandboxClock: { advanceSeconds: 86_400 },
  };
  const headers = id === 'updatePet' ? { 'if-match': '*' } : undefined;
  return { path, body: bodies[id], ...(headers === undefined ? {} : { headers }) };
}

/** Orders 1 and 2 reserve the animals 1 and 2; animal 3 is available. */
async function start(options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> {
  const server = await startTestServer({ databaseUrl: 'sqlite::memory:', now, ...options });
  for (const petId of [1, 2, 3]) {
    await server.call('createPet', { body: { name: 'Rex', categoryId: 3, status: 'available' } });
    if (petId < 3) await server.call('createOrder', { body: { petId } });
  }
  return server;
}

type Provoke = (id: OperationId, server: TestServer) => Promise<unknown>;

/** How to get each error, by its code or by the name of its example. */
const provocations: Record<string, Provoke> = {
  invalid_request: async (id, server) => {
    const { change } = wrongRequest(contract, operationOf(id));
    const valid = validRequest(id);
    if (change.in === 'body') {
      return bodyOf(server.call(id, { ...valid, body: { ...Object(valid.body), [change.without]: undefined } }));
    }
    return bodyOf(server.call(id, { ...valid, [change.in]: { [change.name]: change.value } }));
  },
  invalid_json: (id, server) => bodyOf(server.call(id, { ...validRequest(id), body: '{name: "Rex"}' })),
  malformed_http: (id, server) => sentBytes(server, `${requestTarget(id)} HTTP/1.2\r\n\r\n`),
  api_key_missing: (id, server) => bodyOf(server.call(id, { ...validRequest(id), key: null })),
  api_key_invalid: (id, server) => {
    const key = server.key.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    return bodyOf(server.call(id, { ...validRequest(id), key }));
  },
  otherServer: async (id) => {
    await using test = await startTestServer({ databaseUrl: 'sqlite::memory:' });
    await using live = await startTestServer({ databaseUrl: 'sqlite::memory:', config: { mode: 'live' } });
    return bodyOf(live.call(id, { ...validRequest(id), key: test.key }));
  },
  insufficient_scope: async (id, server) => {
    const { secret } = await server.keys.create({ plan: 'free', scope: 'read' });
    return bodyOf(server.call(id, { ...validRequest(id), key: secret }));
  },
  pet_not_found: (id, server) => bodyOf(server.call(id, { ...validRequest(id), ...missing(id) })),
  order_not_found: (id, server) => bodyOf(server.call(id, { ...validRequest(id), ...missing(id) })),
  pet_has_order: (id, server) => {
    const body = id === 'updatePet' ? { body: { status: 'available' } } : {};
    return bodyOf(server.call(id, { ...validRequest(id), ...body }));
  },
  pet_not_available: (id, server) => bodyOf(server.call(id, { body: { petId: 1 } })),
  order_not_placed: async (id, server) => {
    await server.call('completeOrder', { path: { orderId: 1 } });
    return bodyOf(server.call(id, validRequest(id)));
  },
  // Servers have no sandboxes by default.
  sandbox_not_found: (id, server) => bodyOf(server.call(id, validRequest(id))),
  not_acceptable: (id, server) => bodyOf(server.call(id, { headers: { accept: 'text/html' } })),
  sandbox_clock_not_moved: async (id) => {
    const time = '2026-12-01T12:00:10.000Z';
    await using server = await start({ config: { sandboxes: true }, now: Date.parse(time) });
    return await bodyOf(server.call(id, { body: { time } }));
  },
  operation_removed: async (id) => {
    await using server = await startTestServer({ now: Date.parse('2030-12-06T00:00:00Z') });
    return bodyOf(server.call(id, validRequest(id)));
  },
  request_timeout: async (id) => {
    await using server = await startImpatient();
    const [type] = Object.keys(operationFacts[id].requestBody?.mediaTypes ?? {});
    const lines = ['Host: a', `Authorization: Bearer ${server.key}`, `Content-Type: ${type}`, 'Content-Length: 50'];
    return await sentBytes(server, `${requestTarget(id)} HTTP/1.1\r\n${lines.join('\r\n')}\r\nIf-Match: *\r\n\r\n{`);
  },
  idempotency_key_in_use: async (id) => {
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const before = () => {
      entered.resolve();
      return gate.promise;
    };
    await using server = await startTestServer({ operations: { ...operations, [id]: precededBy(id, before) } });
    const parts = withKey(id, newIdempotencyKey());
    const running = server.call(id, parts);
    await entered.promise;
    const refused = await bodyOf(server.call(id, parts));
    gate.resolve();
    await running;
    return refused;
  },
  idempotency_key_reused: async (id, server) => {
    const key = newIdempotencyKey();
    // Animals with an order cannot be deleted.
    if (id === 'deletePet') await server.call('cancelOrder', { path: { orderId: 2 } });
    await server.call(id, withKey(id, key, id === 'createOrder' ? 1 : 2));
    return bodyOf(server.call(id, withKey(id, key, id === 'createOrder' ? 2 : 1)));
  },
  precondition_failed: (id, server) =>
    bodyOf(server.call(id, { ...validRequest(id), headers: { 'if-match': '"old"' } })),
  precondition_required: (id, server) => bodyOf(server.call(id, { ...validRequest(id), headers: {} })),
  body_too_large: (id, server) => bodyOf(server.call(id, { ...validRequest(id), body: 'x'.repeat(65_537) })),
  unsupported_media_type: (id, server) => {
    const { headers, ...valid } = validRequest(id);
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return bodyOf(server.call(id, { ...valid, headers: { ...headers, ...type } }));
  },
  headers_too_large: (id, server) => {
    const { headers, ...valid } = validRequest(id);
    return bodyOf(server.call(id, { ...valid, headers: { ...headers, 'x-large': 'x'.repeat(16_400) } }));
  },
  rate_limited: (id, server) => refusedAfter(id, server, 'rate_limited'),
  key_banned: (id, server) => refusedAfter(id, server, 'key_banned'),
  internal_error: (id) => failing(id, new Error('broken')),
  service_unavailable: (id) => failing(id, new StorageUnavailableError(new Error('away'))),
};

function operationOf(id: OperationId) {
  const found = documents.find((one) => one.id === id);
  if (found === undefined) throw new Error(`${id} has no page.`);
  return found.placed;
}

/** `GET /v1/pets/1` */
function requestTarget(id: OperationId): string {
  const { method, path } = operationFacts[id];
  return `${method} /v1${path.replaceAll(/\{\w+\}/g, '1')}`;
}

async function sentBytes(server: TestServer, bytes: string): Promise<unknown> {
  return JSON.parse(parseResponse(await sendBytes(server.url, bytes)).text);
}

async function bodyOf(response: ReturnType<TestServer['call']>): Promise<unknown> {
  return (await response).body;
}

function missing(id: OperationId): CallParts {
  return id === 'createOrder' ? { body: { petId: 42 } } : { path: { petId: 42, orderId: 42 } };
}

function withKey(id: OperationId, key: string, resource: 1 | 2 = 1): CallParts {
  const { headers, ...valid } = validRequest(id, resource);
  return { ...valid, headers: { ...headers, 'idempotency-key': key } };
}

/** Sends requests with a new key until one is refused with this code. */
async function refusedAfter(id: OperationId, server: TestServer, code: string): Promise<unknown> {
  const { secret } = await server.keys.create({ plan: 'free' });
  for (let count = 0; count < 100; count += 1) {
    const { status, body } = await server.call(id, { ...validRequest(id), key: secret });
    if (body?.code === code) return body;
    // Refusals in the first seconds do not count towards a ban.
    if (status === 429) server.clock.now += 3_000;
  }
  throw new Error(`${id} never answered ${code}.`);
}

async function failing(id: OperationId, error: Error): Promise<unknown> {
  const before = () => Promise.reject(error);
  await using server = await startTestServer({ operations: { ...operations, [id]: precededBy(id, before) } });
  return bodyOf(server.call(id, validRequest(id)));
}

const ids = Object.keys(operationFacts).filter((id): id is OperationId => id in operations);

test.each(ids)('the server sends each error example on the page of %s', async (id) => {
  const examples = documents
    .filter((one) => one.id === id)
    .flatMap(({ responses }) => responses.filter(({ isError }) => isError))
    .flatMap(({ media }) => media.flatMap((one) => one.examples));
  expect(examples.length).toBeGreaterThan(5);
  for (const { name, text } of examples) {
    const { documentation: _, ...documented } = JSON.parse(text);
    const provoke = provocations[name] ?? provocations[documented.code];
    if (provoke === undefined) throw new Error(`Add how to provoke ${documented.code}.`);
    await using server = await start();
    const { documentation, ...sent } = Object(await provoke(id, server));
    expect([name, sent]).toEqual([name, documented]);
    expect(documentation).toContain(`errors.html#${documented.code}`);
  }
});
