import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestServer, type TestServer } from '../harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ config: { sandboxes: true } });
});
afterAll(() => server.stop());

const body = { name: '🦄'.repeat(255), categoryId: 3 };

async function post(key: string, type: string, content: BodyInit): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': type };
  const response = await fetch(`${server.url}/v1/pets`, { method: 'POST', headers, body: content });
  await response.text();
  return response.status;
}

/** The memory of this process without garbage, whose amount depends on when it is collected. */
function memoryInUse(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().rss;
}

test('1,000 keys, one after another, need the memory of 100 sandboxes, and are served at once', async () => {
  const keys = await Promise.all(Array.from({ length: 1_000 }, () => server.createKey()));
  // Until then, the memory that SQLite allocates and frees still spreads.
  for (const key of keys.slice(0, 600)) expect((await server.call('createPet', { key, body })).status).toBe(201);
  const before = memoryInUse();
  for (const key of keys.slice(600)) expect((await server.call('createPet', { key, body })).status).toBe(201);
  expect(memoryInUse() - before).toBeLessThan(200_000_000);
  const statuses = await Promise.all(keys.map(async (key) => (await server.call('createPet', { key, body })).status));
  // The server may be overloaded for a moment.
  expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
  expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(100);
});

test('a body that is too long, binary, or no JSON is not in the transcript', async () => {
  const key = await server.createKey();
  const bytes = new Uint8Array(5_000).fill(255);
  const long = JSON.stringify({ ...body, name: 'x'.repeat(1_000_000) });
  expect(await post(key, 'application/json', long)).toBe(413);
  expect(await post(key, 'application/octet-stream', bytes)).toBe(415);
  expect(await post(key, 'application/json', bytes)).toBe(400);
  const recorded = (await server.call('getTranscript', { key })).body;
  expect(recorded.map(({ request }: { request: { body?: string } }) => request.body)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('a transcript of long requests has fewer of them, with cut bodies', async () => {
  const { secret: key } = await server.keys.create({ plan: 'enterprise', perMinute: 100_000, perDay: 100_000 });
  const long = JSON.stringify({ name: '<'.repeat(9_000), categoryId: 3 });
  for (let round = 0; round < 110; round += 1) expect(await post(key, 'application/json', long)).toBe(400);
  const { text, body: recorded } = await server.call('getTranscript', { key });
  expect(text.length).toBeLessThan(300_000);
  expect(recorded.length).toBeGreaterThan(40);
  expect(recorded.at(-1).request.body).toBe(`${long.slice(0, 4_000)}…`);
  const asMarkdown = await server.call('getTranscript', { key, headers: { accept: 'text/markdown' } });
  expect(asMarkdown.text.length).toBeLessThan(300_000);
});
