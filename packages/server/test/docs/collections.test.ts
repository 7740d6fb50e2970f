import { runInNewContext } from 'node:vm';
import { contractJson } from '@animal-store/contract/document';
import { expect, test } from '@jest/globals';
import type { ContractDocument } from '../../../tooling/src/contract/document.ts';
import { collections, postmanPath } from '../../../tooling/src/docs/collections/collections.ts';
import { startTestServer } from '../harness.ts';

const contract: ContractDocument = JSON.parse(contractJson);
const files = new Map(collections(contract).map(({ path, content }) => [path, String(content)]));

type Value = { key: string; value: string; disabled?: true };
type PostmanItem = {
  name: string;
  request: {
    method: string;
    url: { path: string[]; variable: Value[]; query: Value[]; raw: string };
    header: Value[];
    body?: { raw: string };
  };
};

const postman: {
  event: { script: { exec: string[] } }[];
  item: { name: string; item: PostmanItem[] }[];
} = JSON.parse(files.get(postmanPath) ?? '');
const script = postman.event.flatMap(({ script: { exec } }) => exec).join('\n');
const postmanItems = postman.item.flatMap(({ item }) => item);

test('every request of the Postman collection gets a documented success from a real server', async () => {
  await using server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  await using withSandboxes = await startTestServer({ databaseUrl: 'sqlite::memory:', config: { sandboxes: true } });
  await server.call('createPet', { body: { name: 'Rex', categoryId: 3, status: 'available' } });
  await server.call('createPet', { body: { name: 'Mia', categoryId: 7, status: 'available' } });
  await server.call('createOrder', { body: { petId: 1 } });
  const statuses: Record<string, number> = {};
  const variables = new Map([['etag', '']]);
  // The animal of an order can be deleted only after the order has ended.
  const [deleting, others] = [true, false].map((isLast) =>
    postmanItems.filter(({ name }) => (name === 'Delete an animal') === isLast),
  );
  const reading = postmanItems.filter(({ request: { method, url } }) => method === 'GET' && url.path[1] === ':petId');
  expect(reading).toHaveLength(1);
  for (const { name, request } of [...(others ?? []), ...reading, ...(deleting ?? [])]) {
    // Completing and cancelling name the same order, which can end only once: the second one ends the second order.
    const orderOf = (key: string, value: string) => (name === 'Cancel an order' && key === 'orderId' ? '2' : value);
    const values = new Map(request.url.variable.map(({ key, value }) => [`:${key}`, orderOf(key, value)]));
    const path = request.url.path.map((part) => values.get(part) ?? part);
    const query = request.url.query.filter(({ disabled }) => disabled !== true).map(({ key, value }) => [key, value]);
    const called = path[0] === 'sandbox' ? withSandboxes : server;
    const url = `${called.url}/v1/${path.join('/')}?${new URLSearchParams(query)}`;
    const headers = request.header.map(({ key, value }): [string, string] => [
      key,
      value.replace('{{$guid}}', crypto.randomUUID()).replace('{{etag}}', variables.get('etag') ?? ''),
    ]);
    const init = {
      method: request.method,
      headers: [...headers, ['Authorization', `Bearer ${called.key}`] as [string, string]],
    };
    const response = await fetch(url, { ...init, body: request.body?.raw.replace('"petId": 1', '"petId": 2') ?? null });
    statuses[name] = response.status;
    const collectionVariables = { set: (key: string, value: string) => void variables.set(key, value) };
    runInNewContext(script, { pm: { response, collectionVariables } });
  }
  expect(Object.entries(statuses).filter(([, status]) => status >= 300)).toEqual([]);
  expect(Object.keys(statuses)).toHaveLength(postmanItems.length);
});
