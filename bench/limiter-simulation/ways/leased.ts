import { countRequest } from '../../../packages/server/src/quota/count-request.ts';
import { emptyUsage, minuteOf, type Usage } from '../../../packages/server/src/quota/usage.ts';
import type { SimulatedKey } from '../keys.ts';
import { type Decide, pairOf, Usages, type Way, type WayParts } from './way.ts';

type Lease = { usage: Usage; granted: number; isAsking: boolean; isSpent: boolean; waiting: Decide[] };

/**
 * A process takes requests of a key's quota in batches, and gives them out without asking. What it has not given out when
 * the minute ends is lost: others were refused for it.
 */
export function leased({ world, store, processes, lease: size }: WayParts): Way {
  const shared = new Usages(world);
  const leases = new Map<number, Lease>();
  const batchOf = ({ quota }: SimulatedKey) => Math.max(1, Math.round((quota.perMinute / processes) * size));

  /** The lease of this minute; one of a minute that is over is worth nothing. */
  function leaseOf(pair: number): Lease {
    const clock = world.clockAt(world.now);
    const known = leases.get(pair);
    if (known !== undefined && known.usage.minute === minuteOf(clock)) return known;
    const lease = {
      usage: emptyUsage(clock),
      granted: 0,
      isAsking: false,
      isSpent: false,
      waiting: known?.waiting ?? [],
    };
    leases.set(pair, lease);
    return lease;
  }

  function take(pair: number, key: SimulatedKey): void {
    leaseOf(pair).isAsking = true;
    const work = (now: number) => {
      const usage = shared.of(key.index);
      let granted = 0;
      while (granted < batchOf(key)) {
        if (countRequest(usage, key.quota, world.clockAt(now), undefined).outcome !== 'allowed') break;
        granted += 1;
      }
      return { granted, minute: usage.minute };
    };
    store.ask(work, ({ granted, minute }) => {
      const lease = leaseOf(pair);
      lease.isAsking = false;
      if (lease.usage.minute === minute) {
        lease.granted += granted;
        lease.isSpent = granted === 0;
      }
      for (const decide of lease.waiting.splice(0)) count(pair, key, decide);
    });
  }

  function count(pair: number, key: SimulatedKey, decide: Decide): void {
    const lease = leaseOf(pair);
    const { usage, granted, isSpent, isAsking, waiting } = lease;
    if (usage.minuteUsed >= granted && !isSpent) {
      waiting.push(decide);
      if (!isAsking) take(pair, key);
      return;
    }
    const quota = { perMinute: granted, perDay: key.quota.perDay };
    const { outcome } = countRequest(usage, quota, world.clockAt(world.now), undefined);
    decide(outcome === 'allowed', world.now);
  }

  return { count: (process, key, decide) => count(pairOf(process, key, processes), key, decide) };
}
