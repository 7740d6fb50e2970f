import { expect, test } from '@jest/globals';
import { jsonWithServer, PerOrigin, yamlWithServer } from './own-server.ts';

const own = {
  origin: 'http://127.0.0.1:3300',
  basePath: '/v1',
  keyPrefix: 'as',
  baseUrl: 'http://127.0.0.1:3300/v1',
  mode: 'test',
} as const;
const entry = (indent: string) =>
  `${indent}- url: ${own.baseUrl}\n${indent}  description: The server that sent this document\n${indent}  x-mode: test\n`;

test.each([
  ['an indented list', 'a: 1\nservers:\n', '  ', '  - url: https://x/v1\nb: 2\n'],
  ['a list without indentation', 'servers:\n', '', '- url: https://x/v1\n- url: https://y/v1\n'],
  ['comments before the first server', 'servers: # all\n  # production\n\n', '  ', '  - url: https://x/v1\n'],
])('%s gets one more entry, and nothing else changes', (_what, before, indent, after) => {
  expect(yamlWithServer(before + after, own)).toBe(before + entry(indent) + after);
});

test.each([
  'servers:\n  - url: http://127.0.0.1:3300/v1\n',
  "servers:\n  - description: local\n    url: 'http://127.0.0.1:3300/v1' # here\n",
  'servers: [{ url: https://x/v1 }]\n',
  'openapi: 3.1.0\n',
])('%j stays as it is', (yaml) => {
  expect(yamlWithServer(yaml, own)).toBe(yaml);
});

const examples = { servers: [{ url: 'https://x.test/v1' }], info: { version: 'https://x.test/v1/a' } };

test('examples get the address of the server, and the list of servers keeps the others', () => {
  const filled = JSON.parse(jsonWithServer(JSON.stringify(examples), own));
  expect(filled.info.version).toBe('http://127.0.0.1:3300/v1/a');
  expect(filled.servers).toEqual([expect.objectContaining({ url: own.baseUrl }), { url: 'https://x.test/v1' }]);
  const yaml = (url: string, listed: string) =>
    `a: ${url}/v1/a\nservers:\n${listed}  - url: https://x.test/v1\nb: ${url}/v1/b\n`;
  expect(yamlWithServer(yaml('https://x.test', ''), own)).toBe(yaml(own.origin, entry('  ')));
});

test('JSON that lists the server stays as it is', () => {
  const json = `{ "servers": [{ "url": "https://x/v1" }, { "url": "${own.baseUrl}" }] }`;
  expect(jsonWithServer(json, own)).toBe(json);
  expect(JSON.parse(jsonWithServer('{ "openapi": "3.1.0" }', own)).servers).toHaveLength(1);
});

test('a file that is evicted while it is made is still sent to those who wait for it', async () => {
  const made = new PerOrigin();
  const gate = Promise.withResolvers<void>();
  const make = (size: number) => async () => {
    await gate.promise;
    return Buffer.alloc(size);
  };
  // Together they exceed the 32 MB.
  const waiting = Array.from({ length: 40 }, (_, index) => made.get(`file ${index}`, make(2_000_000)));
  gate.resolve();
  expect((await Promise.all(waiting)).map(({ length }) => length)).toEqual(waiting.map(() => 2_000_000));
});
