/** The client in the two implementations of a page that tests use most: in jsdom with the `fetch` of Node.js, and in happy-dom with its own. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { type Listening, listenOnLoopback } from '../../testing/src/listen.ts';
import { findPageTools } from './page-tools.ts';
import { createRecipesProject, type RecipesProject } from './recipes-project.ts';

const environments = ['jsdom', 'happy-dom'];
const tools = findPageTools('the client in jsdom and happy-dom', 'vitest@5', 'jsdom@31', 'happy-dom@21');

/** The tests that Vitest runs in the page. */
const program = `
  import { createAnimalStore } from '@animal-store/client';
  import { expect, test } from 'vitest';
  const { API_KEY: apiKey, API: baseUrl, FAILING: failing } = process.env;
  const store = createAnimalStore({ apiKey, baseUrl });
  const pet = { name: 'Rex', categoryId: 1 };

  test('the page is imitated', () => expect(navigator.userAgent).toMatch(new RegExp(process.env.AGENT, 'i')));
  test('a body is sent, and an error is returned', async () => {
    const { error } = await store.POST('/pets', { body: { name: 'Rex' } });
    expect(error).toMatchObject({ code: 'invalid_request', details: [{ where: 'body/categoryId', what: 'is required' }] });
  });
  test('a list is returned, also to middleware that reads a clone of the response', async () => {
    const copies = [];
    store.use({ onResponse: async ({ response }) => void copies.push(await response.clone().json()) });
    const { data, response } = await store.GET('/pets');
    expect(data).toEqual([]);
    expect(copies).toEqual([data]);
    expect(response.url).toBe(baseUrl + '/pets');
  });
  test('a body can be read as bytes and as a stream', async () => {
    const { data: bytes } = await store.GET('/pets', { parseAs: 'arrayBuffer' });
    const { data: stream } = await store.GET('/pets', { parseAs: 'stream' });
    expect([new TextDecoder().decode(bytes), await new Response(stream).text()]).toEqual(['[]', '[]']);
  });
  test('a request is sent again with its body', async () => {
    const other = createAnimalStore({ apiKey, baseUrl: failing, firstDelay: 1, validate: false });
    const { data, error } = await other.POST('/pets', { body: pet });
    expect(error).toBeUndefined();
    expect(data).toEqual({ attempts: 2, body: pet });
  });
  test('the code of a refusal is known', async () => {
    const codes = [];
    const onEvent = ({ type, code }) => type === 'end' && codes.push(code);
    const other = createAnimalStore({ apiKey, baseUrl: failing, maxRetryAfter: 0, onEvent });
    const { error } = await other.GET('/pets');
    expect([error?.code, codes]).toEqual(['key_banned', ['key_banned']]);
  });
  test('a call can be aborted', async () => {
    const call = store.GET('/pets', { signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });`;

/** Refuses all calls but POST, which succeeds at the second attempt. */
function createFailing() {
  let attempts = 0;
  return createServer(async (request, response) => {
    const headers = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' };
    const send = (status: number, body: object) =>
      response.writeHead(status, { ...headers, 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    const body = await text(request);
    if (request.method === 'OPTIONS') return send(200, {});
    if (request.method !== 'POST') return send(429, { code: 'key_banned', message: 'Your key is banned.' });
    attempts += 1;
    return attempts % 2 === 1 ? send(503, {}) : send(200, { attempts: 2, body: JSON.parse(body) });
  });
}

(tools ? describe : describe.skip)('Vitest runs the client in', () => {
  let server: TestServer;
  let failing: Listening;
  let project: RecipesProject;
  beforeAll(async () => {
    server = await startTestServer();
    failing = await listenOnLoopback(createFailing());
    project = createRecipesProject(`${server.url}/v1`);
    for (const [name, place] of tools ?? []) project.link(name, place);
    project.write('src/environment.test.tsx', program);
  });
  afterAll(async () => {
    project[Symbol.dispose]();
    await Promise.all([failing.stop(), server.stop()]);
  });

  test.each(environments)('%s', async (environment) => {
    const env = {
      ...process.env,
      ...{ NODE_ENV: undefined, NODE_OPTIONS: '', NO_COLOR: '1' },
      ...{ API: `${server.url}/v1`, API_KEY: await server.createKey(), FAILING: failing.origin },
      AGENT: environment.replace('-', ''),
    };
    const vitest = join(project.folder, 'node_modules/vitest/vitest.mjs');
    const parameters = [vitest, 'run', 'src/environment.test.tsx', '--environment', environment];
    const running = promisify(execFile)(process.execPath, parameters, { cwd: project.folder, env });
    const { stdout } = await running.catch((error) => error);
    expect(stdout).toMatch(/Tests\s+7 passed \(7\)/);
  });
});
