import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { type ClientOptions, createClient, unwrap } from '../src/index.ts';
import { call, list } from '../src/operations/index.ts';
import { facts } from './fixture/facts.ts';
import type { paths } from './fixture/generated/openapi.ts';
import { startRecordingServer } from './recording-server.ts';

/** A client of the fixture contract that does not wait between attempts. */
function clientOf(baseUrl: string, options: Partial<ClientOptions> = {}) {
  return createClient<paths>(facts, { apiKey: 'a', baseUrl, firstDelay: 0, ...options });
}

/** Responds with a JSON body, or without a body. */
function sendJson(response: ServerResponse, status: number, body?: unknown, headers: Record<string, string> = {}) {
  if (body === undefined) return response.writeHead(status, headers).end();
  return response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Responds to requests one after another with these statuses, without a body. */
function statuses(...queue: number[]) {
  return (response: ServerResponse) => sendJson(response, queue.shift() ?? 500);
}

const path = { fileId: 1 };
const file = { id: 1, name: 'rex.png', size: 4 };
const png = new Uint8Array([137, 80, 78, 71]);

test('a parameter with the name of another one is sent from the argument that has its place in addition', async () => {
  await using server = await startRecordingServer(statuses(204));
  const facts = { method: 'delete', path: '/files/{body}', query: ['body_query'] };
  const renamed = { body_path: 'body', body_query: 'body' };
  await call(clientOf(server.url), { ...facts, renamed }, { body_path: 1, body_query: 2 });
  expect(server.requests[0]?.url).toBe('/v1/files/1?body=2');
});

describe('a request body is sent', () => {
  test('as a merge patch, with the header parameters of the call and an Idempotency-Key', async () => {
    await using server = await startRecordingServer((response) => sendJson(response, 200, file, { ETag: '"2"' }));
    const header = { 'If-Match': '"1"' };
    const init = { params: { path, header }, body: { name: null } };
    const { data, response } = await clientOf(server.url).PATCH('/files/{fileId}', init);
    expect([data, response.headers.get('ETag')]).toEqual([file, '"2"']);
    const [{ body, ...request } = { body: '' }] = server.requests;
    expect(`${body}`).toBe('{"name":null}');
    expect(request).toMatchObject({
      method: 'PATCH',
      headers: {
        'content-type': 'application/merge-patch+json',
        'if-match': '"1"',
        'idempotency-key': expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    });
  });

  test('as plain text, and as JSON if the contract says so', async () => {
    await using server = await startRecordingServer(statuses(204, 204));
    const client = clientOf(server.url);
    await client.PUT('/files/{fileId}/note', { params: { path }, body: 'A "good" dog.', parseAs: 'text' });
    await client.POST('/labels', { body: 'good' });
    const sent = server.requests.map(({ headers, body }) => [headers['content-type'], `${body}`]);
    expect(sent).toEqual([
      ['text/plain', 'A "good" dog.'],
      ['application/json', '"good"'],
    ]);
  });

  test('as bytes, in the first media type of the operation or in the one that the call names', async () => {
    await using server = await startRecordingServer(statuses(204, 204));
    const client = clientOf(server.url);
    const params = { path, header: { 'If-Match': '*' } };
    await client.PUT('/files/{fileId}', { params, body: png });
    const headers = { 'Content-Type': 'image/jpeg' };
    await client.PUT('/files/{fileId}', { params, body: new Blob([png]), headers });
    expect(server.requests.map((sent) => [sent.headers['content-type'], sent.body])).toEqual([
      ['image/png', Buffer.from(png)],
      ['image/jpeg', Buffer.from(png)],
    ]);
  });
});

test('a parameter with several values is sent once for each', async () => {
  await using server = await startRecordingServer((response) => sendJson(response, 200, [file]));
  await clientOf(server.url).GET('/files', { params: { query: { id: [1, 2] } } });
  expect(server.requests[0]?.url).toBe('/v1/files?id=1&id=2');
});

describe('a response without a body', () => {
  test.each([204, 200])('with the status %i has no data and is not an error', async (status) => {
    await using server = await startRecordingServer((response) => sendJson(response, status));
    const call = () => clientOf(server.url).DELETE('/files/{fileId}', { params: { path } });
    expect(await call()).toMatchObject({ data: undefined, response: { status } });
    expect((await call()).error).toBeUndefined();
    expect(await unwrap(call())).toBeUndefined();
  });

  test('is no page of a list', async () => {
    await using server = await startRecordingServer((response) => sendJson(response, 200));
    const iterate = async () => {
      const files = list(clientOf(server.url), { method: 'get', path: '/files' });
      for await (const page of files.pages()) expect(page).toEqual([]);
    };
    const code = 'unexpected_response';
    await expect(iterate()).rejects.toMatchObject({ name: 'ApiError', code, message: 'The response is not a list.' });
  });

  test('is a 304 if the caller sends the current ETag', async () => {
    await using server = await startRecordingServer((response, { headers }) => {
      const etag = '"1"';
      if (headers['if-none-match'] === etag) sendJson(response, 304, undefined, { ETag: etag });
      else sendJson(response, 200, [file], { ETag: etag });
    });
    const client = clientOf(server.url);
    const first = await client.GET('/files');
    const header = { 'If-None-Match': first.response.headers.get('ETag') ?? '' };
    const second = await client.GET('/files', { params: { header } });
    expect(second).toEqual({ data: undefined, response: expect.objectContaining({ status: 304 }) });
    expect(await unwrap(client.GET('/files', { params: { header } }))).toBeUndefined();
    expect(server.requests).toHaveLength(3);
  });
});

describe('a response that is not JSON', () => {
  const sendPng = (response: ServerResponse) => response.writeHead(200, { 'Content-Type': 'image/png' }).end(png);

  test('is read as `parseAs` says', async () => {
    await using server = await startRecordingServer(sendPng);
    const client = clientOf(server.url);
    const blob = await unwrap(client.GET('/files/{fileId}', { params: { path }, parseAs: 'blob' }));
    expect([blob.type, blob.size]).toEqual(['image/png', 4]);
    const bytes = await unwrap(client.GET('/files/{fileId}', { params: { path }, parseAs: 'arrayBuffer' }));
    expect(new Uint8Array(bytes)).toEqual(png);
    const text = await unwrap(client.GET('/files/{fileId}', { params: { path }, parseAs: 'text' }));
    expect(text).toContain('PNG');
  });

  test('is refused if the call expects JSON, because it does not come from the API', async () => {
    await using server = await startRecordingServer(sendPng);
    const error = await clientOf(server.url, { maxRetries: 0 })
      .GET('/files')
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ error: { code: 'unexpected_response', status: 200 } });
    expect(server.requests[0]?.headers.accept).toBe('application/json, */*;q=0.1');
  });

  test('has a JSON error, regardless of `parseAs`', async () => {
    const notFound = { code: 'file_not_found', message: 'No file has the ID 1.', status: 404 };
    await using server = await startRecordingServer((response) => sendJson(response, 404, notFound));
    for (const parseAs of ['blob', 'stream'] as const) {
      const { error } = await clientOf(server.url).GET('/files/{fileId}', { params: { path }, parseAs });
      expect(error?.code).toBe('file_not_found');
    }
  });
});

describe('a response that is read as a stream', () => {
  /** Sends the first line, and the second one when the test asks for it. */
  async function startLines() {
    const closed = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const server = await startRecordingServer(async (response) => {
      response.on('close', () => closed.resolve());
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).write('{"id":1}\n');
      await goOn.promise;
      response.end('{"id":2}\n');
    });
    return { server, closed: closed.promise, goOn: () => goOn.resolve() };
  }

  test('arrives while the server sends it, even if that takes longer than `timeout`', async () => {
    const { server, goOn } = await startLines();
    await using _ = server;
    const stream = await unwrap(clientOf(server.url, { timeout: 3_000 }).GET('/changes', { parseAs: 'stream' }));
    const chunks: string[] = [];
    for await (const chunk of stream?.pipeThrough(new TextDecoderStream()) ?? []) {
      chunks.push(chunk);
      if (chunks.length === 1) await setTimeout(3_500);
      goOn();
    }
    expect(chunks).toEqual(['{"id":1}\n', '{"id":2}\n']);
  });

  test.each([
    ['its signal aborts', (controller: AbortController) => controller.abort('enough')],
    ['its reader cancels', (_: AbortController, stream: ReadableStream | null) => void stream?.cancel()],
  ])('ends for the server when %s', async (_, leave) => {
    const { server, closed } = await startLines();
    await using __ = server;
    const controller = new AbortController();
    const init = { parseAs: 'stream', signal: controller.signal } as const;
    const stream = await unwrap(clientOf(server.url).GET('/changes', init));
    leave(controller, stream);
    await closed;
    if (controller.signal.aborted) await expect(stream?.getReader().read()).rejects.toBe('enough');
  });
});

test.each<[string, (stream: ReadableStream) => Promise<unknown>]>([
  ['was read', (stream) => new Response(stream).text()],
  ['was cancelled', (stream) => stream.cancel()],
  [
    'broke off',
    (stream) =>
      stream
        .getReader()
        .read()
        .catch(() => {}),
  ],
])('a stream that %s no longer listens to the signal of its caller', async (how, end) => {
  const signals: AbortSignal[] = [];
  const fetch = async ({ signal }: Request) => {
    signals.push(signal);
    const start = (source: ReadableStreamDefaultController) =>
      how === 'broke off' ? source.error(new Error('gone')) : source.close();
    return new Response(how === 'was cancelled' ? new ReadableStream() : new ReadableStream({ start }));
  };
  const controller = new AbortController();
  const init = { parseAs: 'stream', signal: controller.signal } as const;
  const client = clientOf('http://files.example/v1', { fetch });
  const { data, response } = await client.GET('/changes', init);
  expect(response.body).toBe(data);
  await end(data ?? new ReadableStream());
  await setTimeout(0);
  controller.abort();
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
});

test('a request is not retried if its body is a stream, which can be read only once', async () => {
  await using server = await startRecordingServer(statuses(503, 204));
  const params = { path, header: { 'If-Match': '*' } };
  const body = new Blob([png]).stream();
  const { response } = await clientOf(server.url).PUT('/files/{fileId}', { params, body });
  expect([response.status, server.requests.map((sent) => sent.body)]).toEqual([503, [Buffer.from(png)]]);
});

test('a streamed body arrives while the client sends it', async () => {
  const got: Buffer[] = [];
  const firstArrived = Promise.withResolvers<void>();
  const read = async (response: ServerResponse, request: IncomingMessage) => {
    for await (const chunk of request) {
      got.push(chunk);
      firstArrived.resolve();
    }
    sendJson(response, 204);
  };
  await using server = await startRecordingServer(read, { readsBody: false });
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (got.length > 0) return controller.close();
      controller.enqueue(png);
      await firstArrived.promise;
    },
  });
  const params = { path, header: { 'If-Match': '*' } };
  const { response } = await clientOf(server.url).PUT('/files/{fileId}', { params, body });
  expect([response.status, Buffer.concat(got)]).toEqual([204, Buffer.from(png)]);
});
