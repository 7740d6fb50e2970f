import { countRequest } from '../../../packages/server/src/quota/count-request.ts';
import type { SimulatedKey } from '../keys.ts';
import { pairOf, Usages, type Way, type WayParts } from './way.ts';

/**
 * Each process counts for itself. Every period it tells the store, key by key, how much it has counted since, and hears how
 * much all have.
 */
export function synchronised({ world, store, random, processes, period }: WayParts): Way {
  const [shared, known] = [new Usages(world), new Usages(world)];
  const unsaid = Array.from({ length: processes }, () => new Map<SimulatedKey, number>());

  function tell(process: number): void {
    const told = unsaid[process];
    if (told === undefined) return;
    const now = new Map<SimulatedKey, number>();
    unsaid[process] = now;
    for (const [key, requests] of told) {
      const work = (time: number) => {
        const usage = shared.of(key.index);
        for (let told = 0; told < requests; told += 1) countRequest(usage, key.quota, world.clockAt(time), undefined);
        return { ...usage };
      };
      store.ask(work, (heard) => {
        const usage = known.of(pairOf(process, key, processes));
        Object.assign(usage, heard, { minuteUsed: heard.minuteUsed + (unsaid[process]?.get(key) ?? 0) });
      });
    }
  }

  function tellAgain(process: number): void {
    tell(process);
    world.after(period, () => tellAgain(process));
  }
  // Not all at once.
  for (let process = 0; process < processes; process += 1) world.after(random() * period, () => tellAgain(process));

  return {
    count(process, key, decide) {
      const usage = known.of(pairOf(process, key, processes));
      const { outcome } = countRequest(usage, key.quota, world.clockAt(world.now), undefined);
      const told = unsaid[process];
      told?.set(key, (told.get(key) ?? 0) + 1);
      decide(outcome === 'allowed', world.now);
    },
  };
}
