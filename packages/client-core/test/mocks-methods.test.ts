import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { setupServer } from 'msw/node';
import { createClient, unwrap } from '../src/index.ts';
import { createMocks } from '../src/mocks/index.ts';
import { facts } from './fixture/facts.ts';
import * as contract from './fixture/generated/constants.ts';
import { type ReplyExamples, replyExamples } from './fixture/generated/examples.ts';
import type { operations, paths } from './fixture/generated/openapi.ts';
import * as schemas from './fixture/generated/requests.ts';

const baseUrl = 'https://files.example/v1';
const mocks = createMocks<ReplyExamples, operations, object>(
  { ...contract, ...schemas, replyExamples },
  { baseUrl },
  { data: {}, resolvers: {}, refresh: () => {}, reset: () => {} },
);
const server = setupServer(...mocks.handlers);
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const client = createClient<paths>(facts, { apiKey: 'a', baseUrl });
const params = { path: { fileId: 1 } };
const matching = { ...params, header: { 'If-Match': '"1"' } };
const listed = replyExamples.listFiles[200].bodies.files;
const [rex] = listed;

test('each method gets a response, without a body if the contract documents none', async () => {
  const put = await client.PUT('/files/{fileId}', { params: matching, body: new Blob(['png']) });
  const removed = await client.DELETE('/files/{fileId}', { params });
  expect([put.response.status, put.data, removed.response.status, removed.data]).toEqual([
    204,
    undefined,
    204,
    undefined,
  ]);
  expect(await unwrap(client.PATCH('/files/{fileId}', { params: matching, body: {} }))).toEqual(rex);
  server.use(mocks.reply('deleteFile', 404));
  expect((await client.DELETE('/files/{fileId}', { params })).error?.code).toBe('file_not_found');
});

describe('a media type', () => {
  test('is that of the first example, or of the one that the mock names', async () => {
    expect(await unwrap(client.GET('/files'))).toEqual(listed);
    server.use(mocks.reply('listFiles', 200, { example: 'files (text/csv)' }));
    const { data, response } = await client.GET('/files', { parseAs: 'text' });
    expect([data, response.headers.get('Content-Type')]).toEqual(['id,name\n1,rex.png\n', 'text/csv']);
  });

  test('of bytes has no example in the contract, and takes bytes, Blobs and text', async () => {
    const blobOf = () => unwrap(client.GET('/files/{fileId}', { params, parseAs: 'blob' }));
    expect(await blobOf()).toMatchObject({ size: 0, type: 'image/png' });
    for (const body of [new Uint8Array([9, 1, 2]).subarray(1), new Uint8Array([1, 2]).buffer, new Blob(['ab']), 'ab']) {
      server.use(mocks.reply('getFile', 200, { body }));
      expect(await blobOf()).toMatchObject({ size: 2, type: 'image/png' });
    }
  });
});
