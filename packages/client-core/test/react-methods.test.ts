import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { QueryClient } from '@tanstack/react-query';
import { act } from 'react';
import { createClient } from '../src/index.ts';
import { createHooks, invalidate } from '../src/react/index.ts';
import { facts } from './fixture/facts.ts';
import type { paths } from './fixture/generated/openapi.ts';
import { type RecordingServer, startRecordingServer } from './recording-server.ts';
import { type Rendered, renderHook } from './render.ts';

const file = { id: 1, name: 'rex.png', size: 4 };
const params = { path: { fileId: 1 } };

/** Serves one file, as an entry of a list and as a picture, and responds to each change as the contract says. */
function answer(response: ServerResponse, { method, url }: IncomingMessage) {
  const json = { 'Content-Type': 'application/json' };
  if (method === 'PUT' || method === 'DELETE') return response.writeHead(204).end();
  if (method === 'PATCH') return response.writeHead(200, json).end(JSON.stringify(file));
  if (url === '/v1/files/404')
    return response.writeHead(404, json).end('{"code":"file_not_found","message":"","status":404}');
  if (url === '/v1/files/304') return response.writeHead(304).end();
  if (url === '/v1/files/1') return response.writeHead(200, { 'Content-Type': 'image/png' }).end('PNG!');
  return response.writeHead(200, json).end(JSON.stringify([file]));
}

let server: RecordingServer;
let hooks: ReturnType<typeof createHooks<paths>>;
const mounted: Rendered<unknown>[] = [];
beforeEach(async () => {
  server = await startRecordingServer(answer);
  hooks = createHooks(createClient<paths>(facts, { apiKey: 'a', baseUrl: server.url, maxRetries: 0 }), facts);
});
afterEach(async () => {
  for (const rendered of mounted.splice(0)) await rendered.unmount();
  await server[Symbol.asyncDispose]();
});

async function render<Value>(useHook: () => Value, queryClient?: QueryClient): Promise<Rendered<Value>> {
  const rendered = await renderHook(useHook, queryClient);
  mounted.push(rendered);
  return rendered;
}

function sent(method: string): string[] {
  return server.requests.filter((request) => request.method === method).map(({ url }) => url);
}

describe('useMutation', () => {
  test('changes with PUT, PATCH and DELETE, and the invalidated list and item are fetched again', async () => {
    const queryClient = new QueryClient();
    const { useQuery, useMutation } = hooks;
    const changed = { onSuccess: () => invalidate<paths>(queryClient, '/files') };
    const use = () => ({
      list: useQuery('get', '/files'),
      item: useQuery('get', '/files/{fileId}', { params, parseAs: 'text' }),
      other: useQuery('get', '/changes', { parseAs: 'text' }),
      put: useMutation('put', '/files/{fileId}', changed),
      patch: useMutation('patch', '/files/{fileId}', changed),
      remove: useMutation('delete', '/files/{fileId}', changed),
    });
    const page = await render(use, queryClient);
    await page.until(({ list, item, other }) => list.isSuccess && item.isSuccess && other.isSuccess);
    const matching = { ...params, header: { 'If-Match': '"1"' } };
    await act(() => page.current.put.mutateAsync({ params: matching, body: new Blob(['PNG!']) }));
    await act(() => page.current.patch.mutateAsync({ params: matching, body: { name: 'rex.png' } }));
    await act(() => page.current.remove.mutateAsync({ params }));
    await page.until(({ list, item, remove }) => remove.isSuccess && !list.isFetching && !item.isFetching);
    const { put, patch, remove } = page.current;
    expect([put.data, patch.data, remove.data]).toEqual([null, file, null]);
    expect(sent('GET').toSorted()).toEqual([
      '/v1/changes',
      ...Array(4).fill('/v1/files'),
      ...Array(4).fill('/v1/files/1'),
    ]);
  });

  test('fails with an ApiError, even if the operation otherwise has no body', async () => {
    await using refusing = await startRecordingServer((response) => response.writeHead(412).end());
    const client = createClient<paths>(facts, { apiKey: 'a', baseUrl: refusing.url });
    const put = await render(() => createHooks(client, facts).useMutation('put', '/files/{fileId}'));
    const init = { params: { ...params, header: { 'If-Match': '"1"' } }, body: new Blob([]) };
    await act(async () => put.current.mutate(init));
    const { error } = await put.until(({ isError }) => isError);
    expect(error).toMatchObject({ name: 'ApiError', status: 412 });
  });
});

describe('useQuery', () => {
  test('reads a body that is not JSON as `parseAs` says, and fails with a JSON error', async () => {
    const { useQuery } = hooks;
    const both = await render(() => ({
      picture: useQuery('get', '/files/{fileId}', { params, parseAs: 'blob' }),
      missing: useQuery('get', '/files/{fileId}', { params: { path: { fileId: 404 } }, parseAs: 'blob' }),
    }));
    const { picture, missing } = await both.until((one) => one.picture.isSuccess && one.missing.isError);
    expect(await picture.data?.text()).toBe('PNG!');
    expect(missing.error).toMatchObject({ name: 'ApiError', code: 'file_not_found' });
  });

  test('has null as data for a 304', async () => {
    const init = { params: { path: { fileId: 304 }, header: { 'If-None-Match': '"1"' } }, parseAs: 'blob' } as const;
    const query = await render(() => hooks.useQuery('get', '/files/{fileId}', init));
    expect(await query.until(({ isSuccess }) => isSuccess)).toMatchObject({ data: null });
  });
});
