import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { anonymousLimits, plans } from '@animal-store/contract';
import { contract } from '@animal-store/contract/service';
import { describe, expect, test } from '@jest/globals';
import { mintSecret } from '../../../service/src/keys/key-format.ts';
import { createKeyRing } from '../../../service/src/keys/key-ring.ts';
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

  test('under well-formed unknown keys: 5,000 use no memory afterwards', async () => {
    await using storage = await opened();
    const keys = createKeyRing(storage.keys, contract, () => NOON, 'test');
    await verify(1_000);
    const before = heap();
    await verify(5_000);
    expect(heap() - before).toBeLessThan(3 * MEGABYTE);

    async function verify(times: number): Promise<void> {
      for (let index = 0; index < times; index += 1) {
        expect(await keys.verify(mintSecret('as', 'test', randomBytes), NOON)).toBeUndefined();
      }
    }
  });
});

async function opened() {
  const storage = await openStorage('sqlite::memory:');
  return { usage: storage.usage, keys: storage.keys, [Symbol.asyncDispose]: () => storage.close() };
}

describe('behind a trusted proxy, a caller without a key gets no more requests by sending', () => {
  test.each<[string, (index: number) => string]>([
    ['a different address in its own IPv6 network each time', (index) => `2001:db8:1:2::${index.toString(16)}`],
    ['another port', (index) => `192.0.2.7:${1_024 + index}`],
    ['a different text that is not an address each time', (index) => `unknown-${index}`],
    ['another spelling', (index) => (index % 2 === 0 ? '::ffff:192.0.2.8' : '::FFFF:c000:208')],
  ])('%s', async (_, address) => {
    await using server = await startTestServer({ config: { trustProxy: ['loopback'] } });
    const { perMinute } = anonymousLimits;
    const statuses: number[] = [];
    for (let index = 0; index <= perMinute; index += 1) {
      const headers = { 'x-forwarded-for': address(index) };
      statuses.push((await server.call('listPets', { key: null, headers })).status);
    }
    expect(statuses).toEqual([...Array(perMinute).fill(401), 429]);
  });
});

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
