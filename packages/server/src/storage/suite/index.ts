import { describe } from '@jest/globals';
import { describeDurability } from './durability.ts';
import type { Engine } from './engine.ts';
import { describeResponses } from './idempotency.ts';
import { describeKeys } from './keys.ts';
import { describeLifecycle } from './lifecycle.ts';
import { describeOrders } from './orders.ts';
import { describePets } from './pets.ts';
import { describeTransactions } from './transactions.ts';
import { describeUsage } from './usage.ts';
import { describeVersion } from './version.ts';

export { describeDurability, type Engine };

/** What every engine must do. Engines that keep data also go through describeDurability. */
export function describeStorage(name: string, engine: Engine): void {
  describe(`storage on ${name}`, () => {
    describePets(engine);
    describeOrders(engine);
    describeTransactions(engine);
    describeResponses(engine);
    describeKeys(engine);
    describeUsage(engine);
    describeLifecycle(engine);
    describeVersion(engine);
  });
}
