import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { plans } from '@animal-store/contract';
import { contract } from '@animal-store/contract/service';
import { describe, expect, test } from '@jest/globals';
import { createLimiter } from '../../../service/src/rate-limit/limiter.ts';
import { parseResponses, sendBytes } from '../../../testing/src/service/wire.ts';
import { openStorage } from '../../src/operations/storage/index.ts';
import { NOON, startTestServer } from '../harness.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** The heap in use after garbage collection, in bytes. */
function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const MEGABYTE = 1_000_000;

describe('memory stays flat', () => {
  test('under spoofed IP addresses: 200,000 take no more than the 50,000 that are remembered', async () => {
    await using storage = await opened();
    const limiter = await createLimiter(storage.usage, contract, () => NOON);
    let made = 0;
    const before = heap();
    await count(90_000);
    const full = heap();
    await count(110_000);
    expect(full - before).toBeLessThan(25 * MEGABYTE);
    expect(heap() - full).toBeLessThan(8 * MEGABYTE);

    /** A different network for each index: IPv4, IPv6, and text that is not an address. */
    async function count(requests: number): Promise<void> {
      for (let index = 0; index < requests; index += 3) {
        made += 1;
        const [high, low] = [made >> 8, made & 255];
        await limiter.countAddress(`10.${high >> 8}.${high & 255}.${low}`);
        await limiter.countAddress(`2001:db8:${high.toString(16)}:${low.toString(16)}::1`);
        await limiter.countAddress(`${'x'.repeat(500)}${made}`);
      }
    }
  });
});

async function opened() {
  const storage = await openStorage('sqlite::memory:');
  return { usage: storage.usage, keys: storage.keys, [Symbol.asyncDispose]: () => storage.close() };
}

test('of 300 simultaneous requests over 50 connections with a new key, exactly the limit passes', async () => {
  await using server = await startTestServer();
  const key = await server.createKey('free');
  const get = (last: boolean) =>
    `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${last ? 'Connection: close\r\n' : ''}\r\n`;
  const connections = Array.from({ length: 50 }, () => sendBytes(server.url, get(false).repeat(5) + get(true)));
  const responses = (await Promise.all(connections)).flatMap(parseResponses);
  expect(responses).toHaveLength(300);
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(plans.free.perMinute);
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(300 - plans.free.perMinute);
});
