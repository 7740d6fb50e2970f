/** Calls every operation with the request that is generated for it, and expects the status of its first successful response. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { api } from '../src/operations/api.ts';
import { type CallParts, type OperationId, startTestServer, type TestServer } from './harness.ts';

const requests: Record<OperationId, CallParts> = JSON.parse(
  readFileSync(new URL('generated/requests.json', import.meta.url), 'utf8'),
);
const facts: Readonly<Record<string, { access: string; responses: object }>> = api.contract.operations;
const isOperation = (id: string): id is OperationId => Object.hasOwn(facts, id);
const ids = Object.keys(requests).filter(isOperation);
const withoutCode = ids.filter((id) => !Object.hasOwn(api.operations, id));
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test('every operation of the contract has a request', () => {
  expect(ids.toSorted()).toEqual(Object.keys(facts).toSorted());
});

for (const id of withoutCode) {
  test(`${id} has no code yet, and answers the example of the contract`, async () => {
    const [status] = Object.keys(facts[id]?.responses ?? {}).map(Number);
    const response = await server.call(id, requests[id]);
    const problems =
      response.status === status
        ? []
        : [
            response.text,
            server
              .log()
              .match(/"message":".*?",/g)
              ?.at(-1),
          ];
    expect({ status: response.status, problems }).toEqual({ status, problems: [] });
    expect(response.headers.get('x-example-response')).toBe('true');
    // The first request compiles the schemas of its operation, which may be large.
  }, 30_000);
}

test('an unknown key is refused', async () => {
  const [id] = ids.filter((one) => facts[one]?.access !== 'public');
  if (id !== undefined) expect((await server.call(id, { ...requests[id], key: 'unknown' })).status).toBe(401);
});
