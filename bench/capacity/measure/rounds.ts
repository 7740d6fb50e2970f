import { type Spread, spreadOf } from '../../figures/statistics.ts';

/** Work that is measured: as many calls as it likes, one after the other or not. */
export type Work = { calls: number; run: () => Promise<void> };

/** What was measured of an item, one value per round. */
export type Found<Item, Value> = (item: Item) => Value[];

/** Microseconds of this process' processor per call of each work. */
export async function processorOf(works: readonly Work[], rounds: number): Promise<(work: Work) => Spread> {
  const found = await inTurns(works, rounds, async ({ calls, run }) => {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / calls;
  });
  return (work) => spreadOf(found(work));
}

/**
 * Measures items in turns, so that a slow moment of the machine hits all, and there and back, so that none always follows the
 * same one. A round before the others warms up and does not count.
 */
export async function inTurns<Item, Value>(
  items: readonly Item[],
  rounds: number,
  measure: (item: Item) => Promise<Value>,
): Promise<Found<Item, Value>> {
  const found = new Map<Item, Value[]>(items.map((item) => [item, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const item of round % 2 === 0 ? items : items.toReversed()) {
      const value = await measure(item);
      if (round >= 0) found.get(item)?.push(value);
    }
  }
  return (item) => found.get(item) ?? [];
}
