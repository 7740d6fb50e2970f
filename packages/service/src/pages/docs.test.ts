import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import { type Listening, listenOnLoopback } from '../../../testing/src/listen.ts';
import { docs } from './docs.ts';
import { type Delivery, keyPlaceholderOf, manifestName, originPlaceholder } from './manifest.ts';
import type { OwnServer } from './own-server.ts';

let folder = '';
let server: Listening;
const failures: unknown[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'field-notes-docs-'));
  const app = express().use(docs(folder, 'Field Notes', ({ headers: { host } }) => own(`http://${host}`)));
  app.use((_request, response) => void response.status(404).end('elsewhere'));
  const noteFailure: ErrorRequestHandler = (error, _request, response, _next) => {
    failures.push(error);
    response.status(500).end();
  };
  app.use(noteFailure);
  server = await listenOnLoopback(createServer(app));
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => build({ 'index.html': {}, 'guides/keys.html': { encodings: ['br', 'gzip'] } }));

/** The output of a build, in which the content of each file is the name of its encoding. */
function build(files: Record<string, Partial<Delivery>>): void {
  const manifest = Object.entries(files).map(([path, changes]): [string, Delivery] => [
    path,
    {
      mediaType: 'text/html',
      hash: 'abc',
      isImmutable: false,
      isTemplate: false,
      contentSecurityPolicy: 'x',
      encodings: [],
      ...changes,
    },
  ]);
  for (const [path] of manifest) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    for (const ending of ['', '.br', '.gz']) writeFileSync(join(folder, path + ending), `${path}${ending}`);
  }
  writeFileSync(join(folder, manifestName), JSON.stringify(Object.fromEntries(manifest)));
}

let mode: OwnServer['mode'] = 'test';

function own(origin: string): OwnServer {
  return { origin, basePath: '/v1', keyPrefix: 'fn', baseUrl: `${origin}/v1`, mode };
}

type Result = { status: number | undefined; headers: Record<string, unknown>; text: string };

/** The raw response: fetch would decode it and normalise the path. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Result> {
  return new Promise((resolve, reject) => {
    const call = request({ port: server.port, host: '127.0.0.1', path, method, headers }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      reply.on('end', () => resolve({ status: reply.statusCode, headers: reply.headers, text }));
    });
    call.on('error', reject).end();
  });
}

test('a page is revalidated each time, and has its media type and policy', async () => {
  build({ 'guides/keys.html': { mediaType: 'text/html; charset=utf-8', contentSecurityPolicy: "default-src 'none'" } });
  const { status, headers, text } = await get('/docs/guides/keys.html');
  expect([status, text]).toEqual([200, 'guides/keys.html']);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'cache-control': 'no-cache',
    'referrer-policy': 'no-referrer',
    'content-length': '16',
    etag: '"abc"',
    vary: 'Accept-Encoding',
  });
});

test('a file whose name contains its hash is cached as immutable', async () => {
  build({ 'assets/site.0123.css': { isImmutable: true, mediaType: 'text/css; charset=utf-8' } });
  const { headers } = await get('/docs/assets/site.0123.css');
  expect(headers).toMatchObject({
    'content-type': 'text/css; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  });
});

test('each encoding is sent as it was compressed, with its own ETag', async () => {
  const path = '/docs/guides/keys.html';
  const brotli = await get(path, { 'accept-encoding': 'gzip, br' });
  expect([brotli.text, brotli.headers['content-encoding'], brotli.headers['etag']]).toEqual([
    'guides/keys.html.br',
    'br',
    '"abc-br"',
  ]);
  const gzip = await get(path, { 'accept-encoding': 'gzip' });
  expect([gzip.text, gzip.headers['content-encoding'], gzip.headers['etag']]).toEqual([
    'guides/keys.html.gz',
    'gzip',
    '"abc-gzip"',
  ]);
  expect((await get(path, { 'accept-encoding': 'identity' })).headers).not.toHaveProperty('content-encoding');
});

test('a client that has an encoding of a page gets 304 for it', async () => {
  const path = '/docs/guides/keys.html';
  const asked = { 'accept-encoding': 'br', 'if-none-match': '"other", "abc-br"' };
  const { status, text, headers } = await get(path, asked);
  expect([status, text, headers['etag'], headers['vary']]).toEqual([304, '', '"abc-br"', 'Accept-Encoding']);
  expect((await get(path, { 'if-none-match': 'W/"abc"' })).status).toBe(304);
  expect((await get(path, { ...asked, 'accept-encoding': 'gzip' })).status).toBe(200);
  expect((await get(path, { 'if-match': '"other"' })).status).toBe(412);
});

test('a template is sent with the address of the server, compressed, with an ETag of its own', async () => {
  build({ 'index.html': { isTemplate: true, encodings: ['br'], isImmutable: true } });
  const template = `curl ${originPlaceholder}/v1/notes ${'long '.repeat(500)}`;
  writeFileSync(join(folder, 'index.html.template'), template);
  const [local, other] = [await get('/docs/', { host: 'localhost:1' }), await get('/docs/', { host: 'b.example' })];
  expect(local.text).toBe(template.replace(originPlaceholder, 'http://localhost:1'));
  expect(other.text).toBe(template.replace(originPlaceholder, 'http://b.example'));
  expect(local.headers['etag']).not.toBe(other.headers['etag']);
  expect(local.headers['cache-control']).toBe('no-cache');
  const again = { host: 'localhost:1', 'if-none-match': String(local.headers['etag']) };
  expect((await get('/docs/', again)).status).toBe(304);
  expect((await get('/docs/', { ...again, host: 'b.example' })).status).toBe(200);
  const brotli = await get('/docs/', { host: 'localhost:1', 'accept-encoding': 'br' });
  expect(brotli.headers['content-encoding']).toBe('br');
  expect(Number(brotli.headers['content-length'])).toBeLessThan(template.length / 10);
});

test('a template is sent with a key of the mode of the server', async () => {
  build({ 'index.html': { isTemplate: true, hash: 'def' } });
  writeFileSync(
    join(folder, 'index.html.template'),
    `${keyPlaceholderOf('fn', 'test')} ${keyPlaceholderOf('fn', 'test')}`,
  );
  expect((await get('/docs/', { host: 'localhost:1' })).text).toBe('fn_test_YOUR_KEY fn_test_YOUR_KEY');
  mode = 'live';
  expect((await get('/docs/', { host: 'localhost:1' })).text).toBe('fn_live_YOUR_KEY fn_live_YOUR_KEY');
  mode = 'test';
});

test('HEAD is GET without the content', async () => {
  const headers = { 'accept-encoding': 'br' };
  const whole = await get('/docs/guides/keys.html', headers);
  const head = await get('/docs/guides/keys.html', headers, 'HEAD');
  const dated = { date: expect.anything() };
  expect({ ...head, headers: { ...head.headers, ...dated } }).toEqual({ ...whole, text: '' });
});

test.each([
  '/docs/unlisted.html',
  '/docs/delivery.json',
  '/docs/guides/keys.html.br',
  '/docs/guides/../unlisted.html',
  '/docs/guides/../index.html',
  '/docs/%2e%2e/unlisted.html',
  '/docs/../../etc/passwd',
  '/docs//etc/passwd',
  '/docs/guides%2fkeys.html',
  '/docs/guides/keys.html/',
  '/docs/%00',
  '/docs/constructor',
  '/docs/1.2.3/../index.html',
])('%s is a 404: only files that the build lists are served, by their exact paths', async (path) => {
  writeFileSync(join(folder, 'unlisted.html'), 'not for readers');
  build({ 'index.html': {}, 'guides/keys.html': {} });
  expect(await get(path)).toMatchObject({ status: 404, text: 'elsewhere' });
});

test('a browser gets the page for unknown URLs, and other clients the error of the API', async () => {
  build({ 'index.html': {}, '404.html': {} });
  const browser = await get('/docs/guides/nope.html', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
  expect([browser.status, browser.text, browser.headers['vary']]).toEqual([404, '404.html', 'Accept, Accept-Encoding']);
  for (const accept of ['*/*', 'application/json'])
    expect(await get('/docs/guides/nope.html', { accept })).toMatchObject({ status: 404, text: 'elsewhere' });
});

test('until the docs are built, a page says so and reloads itself', async () => {
  rmSync(join(folder, manifestName));
  for (const path of ['/docs/', '/docs/guides/keys.html']) {
    const { status, text, headers } = await get(path);
    expect([status, headers['retry-after']]).toEqual([503, '3']);
    expect(text).toContain('npm run docs');
  }
  expect((await get('/docs/assets/site.css')).status).toBe(404);
});
