import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createKeyRing } from '../../../packages/server/src/keys/key-ring.ts';
import { createLimiter } from '../../../packages/server/src/limiter/limiter.ts';
import type { Storage, UsageStore } from '../../../packages/server/src/storage/storage.ts';
import { seededRandom } from '../../../scripts/testing/seeded-random.ts';
import type { CapacityRun } from '../run.ts';
import { processorOf, type Work } from './rounds.ts';

export type CallName = 'knownKey' | 'readKey' | 'countOfFew' | 'countOfMany' | 'countOfMost';

/** Keys in the memory of a process whose requests it counts: few, many, and more than its caches hold. */
export type Populations = { few: number; many: number; most: number };

/** Milliseconds after which a process reads a key again. */
const STALE = 5_001;

/** A store that keeps nothing, so that the counting itself is measured. */
const noUsage: UsageStore = { load: async () => [], save: async () => {} };

/** Microseconds of the processor for a key check, and for counting in memory. */
export async function measureCalls(
  storage: Storage,
  populations: Populations,
  { rounds, calls }: { rounds: number; calls: number },
): Promise<Pick<CapacityRun, 'populations' | 'calls' | 'bytesPerCountedKey'>> {
  let now = Date.now();
  const keys = createKeyRing(storage.keys, () => now);
  const { secret } = await keys.create({ plan: 'free', mode: 'test' });
  const verifyEach = (step: number): Work => ({
    calls,
    async run() {
      for (let call = 0; call < calls; call += 1) {
        now += step;
        if ((await keys.verify(secret, now)) === undefined) throw new Error('A valid key was refused.');
      }
    },
  });
  const few = await counting(populations.few, calls);
  const many = await counting(populations.many, calls);
  const before = heapUsed();
  const most = await counting(populations.most, calls);
  const bytesPerCountedKey = (heapUsed() - before) / populations.most;
  const [known, read] = [verifyEach(0), verifyEach(STALE)];
  const costOf = await processorOf([known, read, few, many, most], rounds);
  const costs = {
    knownKey: costOf(known),
    readKey: costOf(read),
    countOfFew: costOf(few),
    countOfMany: costOf(many),
    countOfMost: costOf(most),
  };
  return { populations, calls: costs, bytesPerCountedKey };
}

/** Counts requests of a population, in an order that no cache foresees. */
async function counting(population: number, calls: number): Promise<Work> {
  const limiter = await createLimiter(noUsage, Date.now);
  const keyOf = (index: number) => ({ id: `key_${index}`, plan: 'free' as const });
  for (let index = 0; index < population; index += 1) await limiter.countKey(keyOf(index));
  const random = seededRandom(1);
  const order = Array.from({ length: calls }, () => keyOf(Math.floor(random() * population)));
  return {
    calls,
    async run() {
      for (const key of order) await limiter.countKey(key);
    },
  };
}

/** Without the garbage. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
