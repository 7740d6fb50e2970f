import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { setupServer } from 'msw/node';
import { createClient, unwrap } from '../src/index.ts';
import { createMocks } from '../src/mocks/index.ts';
import { serialize } from '../src/mocks/media-types.ts';
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
const [rex, mia] = listed;

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

test('an error of a range gets the example with its status, or the given body', async () => {
  const errorOf = async () => (await client.DELETE('/files/{fileId}', { params })).error;
  server.use(mocks.reply('deleteFile', 409));
  expect(await errorOf()).toMatchObject({ code: 'file_open', status: 409 });
  server.use(mocks.reply('deleteFile', 410, { body: { code: 'file_not_found', message: 'Gone.', status: 410 } }));
  expect(await errorOf()).toMatchObject({ code: 'file_not_found', message: 'Gone.', status: 410 });
  // @ts-expect-error The range is 4XX.
  expect(() => mocks.reply('deleteFile', 500)).toThrow('The contract does not document 500 for deleteFile.');
  // @ts-expect-error Only a range contains statuses that the contract does not list.
  expect(() => mocks.reply('putFile', 409)).toThrow('The contract does not document 409 for putFile.');
});

test('mocks of a contract with problems refuse with problems', async () => {
  const { type, title } = { type: '/docs/errors.html#invalid_request', title: 'Invalid request' };
  const documented = { headers: {}, optionalHeaders: {}, mediaTypes: { invalid: 'application/problem+json' } };
  const bodies = { invalid: { type, title, status: 400, detail: 'Invalid.', code: 'invalid_request' } };
  const { 200: success } = replyExamples.listFiles;
  const examples = { ...replyExamples, listFiles: { 200: success, 400: { ...documented, bodies } } };
  const errorStatus = { ...contract.errorStatus, invalid_request: 400 };
  const problems = createMocks<typeof examples, operations, object>(
    { ...contract, ...schemas, replyExamples: examples, errorStatus, errorForm: 'problem' },
    { baseUrl },
    { data: {}, resolvers: {}, refresh: () => {}, reset: () => {} },
  );
  server.use(...problems.handlers);
  const call = async (query: string) => {
    const response = await fetch(`${baseUrl}/files${query}`);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    return response.json();
  };
  expect(await call('?unknown=1')).toEqual({
    ...{ type, title, status: 400, code: 'invalid_request', detail: expect.stringContaining('unknown') },
    details: [{ where: 'query/unknown', what: 'is unknown' }],
  });
});

describe('a media type', () => {
  const csvOf = (headers = {}) => unwrap(client.GET('/files', { parseAs: 'text', headers }));

  test('is the one that the request accepts, or the first one if it accepts any', async () => {
    expect(await unwrap(client.GET('/files'))).toEqual(listed);
    expect(await csvOf({ Accept: 'text/*, application/json;q=0.5' })).toBe('id,name\n1,rex.png\n');
    expect(JSON.parse(await csvOf({ Accept: '*/*' }))).toEqual(listed);
    expect(JSON.parse(await csvOf({ Accept: 'image/png' }))).toEqual(listed);
  });

  test('is that of the example that the mock names', async () => {
    server.use(mocks.reply('listFiles', 200, { example: 'files (text/csv)' }));
    const { data, response } = await client.GET('/files', { parseAs: 'text' });
    expect([data, response.headers.get('Content-Type')]).toEqual(['id,name\n1,rex.png\n', 'text/csv']);
  });

  test('of lines has one example on each line, and one of events has an event for each example', async () => {
    const lines = unwrap(client.GET('/changes', { parseAs: 'text' }));
    expect(await lines).toBe(`${JSON.stringify(rex)}\n${JSON.stringify(mia)}\n`);
    server.use(mocks.reply('listChanges', 200, { body: [mia] }));
    expect(await unwrap(client.GET('/changes', { parseAs: 'text' }))).toBe(`${JSON.stringify(mia)}\n`);
    expect(serialize([{ id: 1 }, { id: 2 }], 'text/event-stream')).toBe('data: {"id":1}\n\ndata: {"id":2}\n\n');
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

test('several values of a parameter match the entries that have one of them', async () => {
  const found = async (query: { id: number[]; name?: string }) => unwrap(client.GET('/files', { params: { query } }));
  expect(await found({ id: [1, 2] })).toEqual(listed);
  expect(await found({ id: [2, 3] })).toEqual([mia]);
  expect(await found({ id: [1, 2], name: 'rex.png' })).toEqual([rex]);
});

test('a request with the ETag of a response gets a 304 until the body changes', async () => {
  const etag = (await client.GET('/files')).response.headers.get('ETag') ?? '';
  const again = () => client.GET('/files', { params: { header: { 'If-None-Match': `"0", ${etag}` } } });
  expect(await again()).toMatchObject({ data: undefined, response: { status: 304 } });
  expect((await again()).response.headers.get('ETag')).toBe(etag);
  server.use(mocks.reply('listFiles', 200, { body: [] }));
  expect((await again()).data).toEqual([]);
});
