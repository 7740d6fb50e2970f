import { describe } from '@jest/globals';
import type { Engine } from './engine.ts';
import { describeOrders } from './orders.ts';
import { describePets } from './pets.ts';
import { describeTransactions } from './transactions.ts';

/** The requirements for the store on every engine. */
export function describeStore(name: string, engine: Engine): void {
  describe(`store on ${name}`, () => {
    describePets(engine);
    describeOrders(engine);
    describeTransactions(engine);
  });
}
