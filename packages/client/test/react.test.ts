import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { act } from 'react';
import { renderHook } from '../../client-core/test/render.ts';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { createAnimalStore } from '../src/index.ts';
import { useRateLimit } from '../src/react/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
});
afterAll(() => server.stop());

test('useRateLimit follows each response, including those to calls without hooks', async () => {
  const store = createAnimalStore({ apiKey: await server.createKey('free'), baseUrl: `${server.url}/v1` });
  const remaining = await renderHook(() => ({ rateLimit: useRateLimit(store) }));
  expect(remaining.current.rateLimit).toBeUndefined();
  for (const left of [59, 58]) {
    await act(() => store.GET('/pets'));
    await remaining.until(({ rateLimit }) => rateLimit?.remaining === left);
  }
  await remaining.unmount();
});
