import { countRequest } from '../../../packages/server/src/quota/count-request.ts';
import { minuteOf } from '../../../packages/server/src/quota/usage.ts';
import { pairOf, Usages, type Way, type WayParts } from './way.ts';

/** Milliseconds that a request waits for the store; as `REDIS_TIMEOUT_MS` says unless it is set. */
const PATIENCE = 100;
/** Milliseconds after which a process has found out that the store is back: three probes. */
const PROBES = 750;

/** One store counts all requests, one round trip each. */
export function exact({ world, store }: WayParts): Way {
  const usages = new Usages(world);
  return {
    count(_, key, decide) {
      const work = (now: number) => {
        const { outcome } = countRequest(usages.of(key.index), key.quota, world.clockAt(now), undefined);
        return { isAllowed: outcome === 'allowed', now };
      };
      store.ask(work, ({ isAllowed, now }) => decide(isAllowed, now));
    },
  };
}

/**
 * One store counts, and while it is away each process goes on from what it heard last; what it counted alone it hands over
 * with the key's next request. A process that gets no answer waits once, then asks again when the store has been probed.
 */
export function insured(parts: WayParts): Way {
  const { world, store, processes } = parts;
  const [shared, heard] = [new Usages(world), new Usages(world)];
  const countedAlone = new Map<number, { minute: number; requests: number }>();
  const openUntil = new Map<number, number>();

  function countHere(pair: number, key: Parameters<Way['count']>[1], decide: Parameters<Way['count']>[2]): void {
    const clock = world.clockAt(world.now);
    const { outcome } = countRequest(heard.of(pair), key.quota, clock, undefined);
    const minute = minuteOf(clock);
    const before = countedAlone.get(pair);
    countedAlone.set(pair, { minute, requests: (before?.minute === minute ? before.requests : 0) + 1 });
    decide(outcome === 'allowed', world.now);
  }

  return {
    count(process, key, decide) {
      const pair = pairOf(process, key, processes);
      if ((openUntil.get(process) ?? 0) > world.now) return countHere(pair, key, decide);
      const handedOver = countedAlone.get(pair);
      countedAlone.delete(pair);
      const work = (now: number) => {
        const clock = world.clockAt(now);
        const usage = shared.of(key.index);
        const { outcome } = countRequest(usage, key.quota, clock, undefined);
        if (handedOver?.minute === usage.minute) usage.minuteUsed += handedOver.requests;
        return { isAllowed: outcome === 'allowed', now, usage: { ...usage } };
      };
      const lost = () =>
        world.after(PATIENCE, () => {
          if (handedOver !== undefined) countedAlone.set(pair, handedOver);
          openUntil.set(process, world.now + PROBES);
          countHere(pair, key, decide);
        });
      store.ask(
        work,
        ({ isAllowed, now, usage }) => {
          Object.assign(heard.of(pair), usage);
          decide(isAllowed, now);
        },
        lost,
      );
    },
  };
}
