import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { contract } from '@animal-store/contract/service';
import { describe, expect, test } from '@jest/globals';
import { createLimiter } from '../../../service/src/rate-limit/limiter.ts';
import { openStorage } from '../../src/operations/storage/index.ts';
import { NOON } from '../harness.ts';

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
