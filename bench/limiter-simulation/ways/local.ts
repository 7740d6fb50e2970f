import { countRequest } from '../../../packages/server/src/quota/count-request.ts';
import type { Quota } from '../../../packages/server/src/quota/usage.ts';
import type { SimulatedKey } from '../keys.ts';
import { pairOf, Usages, type Way, type WayParts } from './way.ts';

/** Each process counts for itself, and gives the whole quota: what happens when nobody counts together. */
export function alone(parts: WayParts): Way {
  return countedBy(
    parts,
    (process) => process,
    (quota) => quota,
  );
}

/** Each process gives an even share of the quota, one request at least. */
export function evenShare(parts: WayParts): Way {
  const share = ({ perMinute, perDay }: Quota) => ({
    perMinute: Math.max(1, Math.floor(perMinute / parts.processes)),
    perDay: Math.max(1, Math.floor(perDay / parts.processes)),
  });
  return countedBy(parts, (process) => process, share);
}

/** The balancer sends all requests of a key to the same process, which counts for itself. */
export function atHome(parts: WayParts): Way {
  return countedBy(
    parts,
    (_, key) => key.index % parts.processes,
    (quota) => quota,
  );
}

function countedBy(
  { world, processes }: WayParts,
  placeOf: (process: number, key: SimulatedKey) => number,
  partOf: (quota: Quota) => Quota,
): Way {
  const usages = new Usages(world);
  return {
    count(process, key, decide) {
      const usage = usages.of(pairOf(placeOf(process, key), key, processes));
      const { outcome } = countRequest(usage, partOf(key.quota), world.clockAt(world.now), undefined);
      decide(outcome === 'allowed', world.now);
    },
  };
}
