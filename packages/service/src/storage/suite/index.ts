import { describe } from '@jest/globals';
import { describeDurability } from './durability.ts';
import type { Engine } from './engine.ts';
import { describeIdempotencyRecords } from './idempotency.ts';
import { describeKeys } from './keys.ts';
import { describeLifecycle } from './lifecycle.ts';
import { describeTransactions } from './transactions.ts';
import { describeUsage } from './usage.ts';

export { describeDurability };

/** The requirements for every engine. Durable engines must also pass describeDurability. */
export function describeStorage(name: string, engine: Engine): void {
  describe(`storage on ${name}`, () => {
    describeTransactions(engine);
    describeIdempotencyRecords(engine);
    describeKeys(engine);
    describeUsage(engine);
    describeLifecycle(engine);
  });
}
