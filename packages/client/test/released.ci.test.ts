import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Listening, listenOnLoopback } from '../../testing/src/listen.ts';

/** A server that never responds to `/v1/pets`, and never ends its response to `/v1/store/orders`. */
let server: Listening;
let baseUrl: string;
const closed: string[] = [];

beforeAll(async () => {
  const silent = createServer((request, response) => {
    const url = request.url ?? '';
    request.socket.once('close', () => closed.push(url));
    if (url === '/v1/store/orders') response.writeHead(200, { 'Content-Type': 'application/json' }).write('[');
    if (url === '/closed') void untilClosed(2).then(() => response.end(closed.join(' ')));
    if (url === '/v1/store/orders/1') response.writeHead(429, { 'Retry-After': '30' }).end('{}');
  });
  server = await listenOnLoopback(silent);
  baseUrl = `${server.origin}/v1`;
});
afterAll(() => server.stop());

/** Resolves when that many connections have ended. */
async function untilClosed(count: number): Promise<void> {
  while (closed.length < count) await setTimeout(5);
}

/** The output of a process that runs this code with a client and then ends by itself: within five seconds of its last line. */
async function run(code: string): Promise<{ output: string; status: number | null }> {
  const index = new URL('../src/index.ts', import.meta.url).href;
  const script = `
    import { createAnimalStore } from ${JSON.stringify(index)};
    const storeWith = (options) => createAnimalStore({ apiKey: 'a', baseUrl: ${JSON.stringify(baseUrl)}, ...options });
    const say = (error) => {
      console.log(error.name);
      setTimeout(() => process.exit(1), 5_000).unref();
    };
    const soon = () => AbortSignal.timeout(100);
    ${code}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { timeout: 100_000 });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const [status] = await once(child, 'close');
  return { output: output.trim(), status };
}

describe('a process ends by itself, because no timer or socket is left, after', () => {
  test.each([
    ['an attempt timed out', 'storeWith({ timeout: 100, maxRetries: 0 }).GET("/pets").catch(say)', 'TimeoutError'],
    ['a body timed out', 'storeWith({ timeout: 100, maxRetries: 0 }).GET("/store/orders").catch(say)', 'TimeoutError'],
    ['a call was aborted', 'storeWith().GET("/pets", { signal: soon() }).catch(say)', 'TimeoutError'],
    [
      'a call was aborted while it read the body',
      'storeWith().GET("/store/orders", { signal: soon() }).catch(say)',
      'TimeoutError',
    ],
    [
      'a call was aborted at the gate',
      'storeWith().GET("/store/orders/{orderId}", { params: { path: { orderId: 1 } }, signal: soon() }).catch(say)',
      'TimeoutError',
    ],
    [
      'a call was aborted before its next attempt',
      'storeWith({ baseUrl: "http://127.0.0.1:1/v1", firstDelay: 8_000 }).GET("/pets", { signal: soon() }).catch(say)',
      'TimeoutError',
    ],
  ])('%s', async (_, code, name) => {
    expect(await run(code)).toEqual({ output: name, status: 0 });
  });
});

test('the server sees a request in flight end at once', async () => {
  closed.length = 0;
  const code = `
    const print = ({ name }) => console.log(name);
    await storeWith({ timeout: 3_000, maxRetries: 0 }).GET("/pets").catch(print);
    await storeWith().GET("/store/orders", { signal: AbortSignal.timeout(3_000) }).catch(print);
    const isDone = await fetch(${JSON.stringify(baseUrl.replace('/v1', '/closed'))}).then((reply) => reply.text());
    console.log(isDone);`;
  const { output } = await run(code);
  expect(output.split('\n')).toEqual(['TimeoutError', 'TimeoutError', '/v1/pets /v1/store/orders']);
});
