import { createServer, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { listen } from './server.ts';
import { sendStream } from './stream.ts';

/** The listeners for `close` that the app itself adds to each response. */
const OF_APP = 5;

test('an event stream has fewer listeners than Node warns about, and a leak still causes a warning', async () => {
  const counts: number[][] = [];
  async function* items(response: ServerResponse) {
    yield 1;
    counts.push([response.listenerCount('close'), response.getMaxListeners()]);
    yield 2;
  }
  const server = createServer((_request, response) => {
    for (let index = 0; index < OF_APP; index += 1) response.on('close', () => {});
    const checks = { checkItem: () => {}, onStart: () => {}, onFailure: () => {} };
    void sendStream(response, {
      status: 200,
      headers: [],
      items: items(response),
      kind: 'events',
      isHead: false,
      ...checks,
    });
  });
  const port = await listen(server, 0, '127.0.0.1');
  try {
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('data: 1\n\ndata: 2\n\n');
  } finally {
    server.close();
  }
  const [[used = 0, most = 0] = []] = counts;
  expect(counts).toHaveLength(1);
  expect(used).toBeGreaterThan(10);
  expect(most).toBeGreaterThanOrEqual(used);
  expect(most).toBeLessThan(20);
});

test('an event stream without events ends as soon as the caller disconnects', async () => {
  async function* items() {
    yield 1;
    await new Promise<never>(() => {});
  }
  const sent = Promise.withResolvers<string>();
  const server = createServer((_request, response) => {
    const checks = { checkItem: () => {}, onStart: () => {}, onFailure: () => {} };
    const stream = { status: 200, items: items(), kind: 'events', isHead: false, ...checks } as const;
    sendStream(response, { ...stream, headers: [] }).then(() => sent.resolve('ended'), sent.reject);
  });
  const port = await listen(server, 0, '127.0.0.1');
  try {
    const { body } = await fetch(`http://127.0.0.1:${port}`);
    const reader = body?.getReader();
    await reader?.read();
    await reader?.cancel();
    // Half of the time between two comments, the next of which would notice it.
    expect(await Promise.race([sent.promise, setTimeout(7_500, 'still open', { ref: false })])).toBe('ended');
  } finally {
    server.close();
  }
});
