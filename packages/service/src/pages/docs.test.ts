import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import express from 'express';
import { type Listening, listenOnLoopback } from '../../../testing/src/listen.ts';
import { originPlaceholder } from '../common/facts.ts';
import { docs } from './docs.ts';

let parent = '';
let folder = '';
let server: Listening;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'field-notes-docs-'));
  folder = join(parent, 'docs');
  const app = express().use(docs(folder, 'Field Notes', ({ headers: { host } }) => `http://${host}`));
  app.use((_request, response) => void response.status(404).end('elsewhere'));
  server = await listenOnLoopback(createServer(app));
});
afterAll(async () => {
  await server.stop();
  rmSync(parent, { recursive: true });
});
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(join(parent, 'secret.html'), 'not for readers');
  write('index.html', 'home');
  write('guides/keys.html', `curl ${originPlaceholder}/v1/notes`);
  write('guides/keys.md', `curl ${originPlaceholder}/v1/notes`);
  write('assets/site.css', 'a {}');
  write('reference.html', 'by Redocly');
  write('.hidden.html', 'not for readers');
});

function write(path: string, text: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
}

type Result = { status: number | undefined; headers: Record<string, unknown>; text: string };

/** The raw response: fetch would normalise the path. */
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

test.each([
  ['/docs/', 'text/html; charset=utf-8', 'home'],
  ['/docs/guides/keys.html', 'text/html; charset=utf-8', 'curl http://notes.example/v1/notes'],
  ['/docs/guides/keys.md', 'text/markdown; charset=utf-8', 'curl http://notes.example/v1/notes'],
  ['/docs/assets/site.css', 'text/css; charset=utf-8', 'a {}'],
])('%s is sent with the origin of the server in it, and revalidated each time', async (path, type, content) => {
  const host = 'notes.example';
  const { status, text, headers } = await get(path, { host });
  expect([status, text]).toEqual([200, content]);
  expect(headers).toMatchObject({
    'content-type': type,
    'cache-control': 'no-cache',
    'referrer-policy': 'no-referrer',
    'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src 'self'; style-src 'self'; /),
  });
  const again = await get(path, { host, 'if-none-match': String(headers['etag']) });
  expect([again.status, again.text]).toEqual([304, '']);
  expect((await get(path, { host }, 'HEAD')).headers['content-length']).toBe(headers['content-length']);
});

test('only the page by Redoc may have inline code, and no page may load anything from another host', async () => {
  const policies = await Promise.all(
    ['/docs/reference.html', '/docs/'].map(async (path) =>
      String((await get(path)).headers['content-security-policy']),
    ),
  );
  expect(policies.map((policy) => policy.includes('unsafe-inline'))).toEqual([true, false]);
  expect(policies.join()).not.toMatch(/https?:|\*|unsafe-eval/);
});

test.each([
  '/docs/unknown.html',
  '/docs/unknown.css',
  '/docs/guides',
  '/docs/guides/',
  '/docs/../secret.html',
  '/docs/guides/../../secret.html',
  '/docs/%2e%2e/secret.html',
  '/docs//etc/passwd',
  '/docs/guides%2fkeys.html',
  '/docs/guides/keys.html/',
  '/docs/%00',
  '/docs/.hidden.html',
])('%s is a 404, without the headers of a page', async (path) => {
  const { status, text, headers } = await get(path);
  expect([status, text]).toEqual([404, 'elsewhere']);
  expect(headers).not.toHaveProperty('cache-control');
});

test('until the docs are built, a page says so and reloads itself', async () => {
  rmSync(folder, { recursive: true });
  for (const path of ['/docs/', '/docs/guides/keys.html']) {
    const { status, text, headers } = await get(path);
    expect([status, headers['retry-after']]).toEqual([503, '3']);
    expect(text).toContain('npm run docs');
  }
  expect((await get('/docs/assets/site.css')).status).toBe(404);
});
