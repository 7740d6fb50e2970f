import { expect, test } from '@jest/globals';
import { sendBytes } from '../../testing/src/service/wire.ts';
import { operations } from '../src/operations/index.ts';
import { startTestServer, type TestServer } from './harness.ts';

const linesOf = (server: TestServer) =>
  server
    .log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('the line of a request has the IP address of its caller, by the trusted proxies', async () => {
  await using server = await startTestServer({ config: { trustProxy: 1 } });
  await server.call('listPets', { headers: { 'x-forwarded-for': '192.0.2.9, 203.0.113.7' } });
  await server.call('listPets', { key: null });
  await sendBytes(server.url, 'this is not HTTP\r\n\r\n');
  await server.stop();
  const addresses = linesOf(server).map(({ operation, address }) => `${operation} ${address}`);
  expect(addresses).toEqual(['listPets 203.0.113.7', 'listPets 127.0.0.1', 'unreadable 127.0.0.1']);
});

test('a response that is not documented is sent in production, with an error in the log once a minute', async () => {
  const withBadBody: typeof operations.listPets = async (call) => {
    const result = await operations.listPets(call);
    return result instanceof Error ? result : Object.assign(result, { body: [{ id: 'one' }] });
  };
  const withBadStatus: typeof operations.getKey = async (call) =>
    Object.assign(await operations.getKey(call), { status: 299 });
  await using server = await startTestServer({
    config: { validateResponses: false },
    operations: { ...operations, listPets: withBadBody, getKey: withBadStatus },
  });
  // Not with `call`, which checks each response.
  const headers = { authorization: `Bearer ${server.key}` };
  for (let count = 0; count < 3; count += 1) {
    expect(await (await fetch(`${server.url}/v1/pets`, { headers })).json()).toEqual([{ id: 'one' }]);
    expect((await fetch(`${server.url}/v1/key`, { headers })).status).toBe(299);
  }
  const errors = linesOf(server).filter(({ level }) => level === 50);
  expect(errors.map(({ msg, operation, status }) => [msg, operation, status])).toEqual([
    ['the response is not documented; it was sent', 'listPets', 200],
    ['the response is not documented; it was sent', 'getKey', 299],
  ]);
  expect(errors[1].err.message).toContain('the status 299 is not documented');
});
