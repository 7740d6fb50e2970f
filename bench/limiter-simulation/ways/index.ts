import { exact, insured } from './central.ts';
import { leased } from './leased.ts';
import { alone, atHome, evenShare } from './local.ts';
import { synchronised } from './synchronised.ts';
import type { Way, WayParts } from './way.ts';

/** The ways to count, by name; `isCutOff`: the store is away for a while. */
export const ways = [
  { name: 'exact', title: 'one store, asked each time', make: exact, isCutOff: false },
  { name: 'insured', title: 'the same, and the store is away for a while', make: insured, isCutOff: true },
  { name: 'alone', title: 'each process alone, whole quota', make: alone, isCutOff: false },
  { name: 'evenShare', title: 'each process alone, an even share', make: evenShare, isCutOff: false },
  { name: 'synchronised', title: 'synchronised each period', make: synchronised, isCutOff: false },
  { name: 'leased', title: 'leases', make: leased, isCutOff: false },
  { name: 'largeLeases', title: 'leases twenty times as large', make: largeLeases, isCutOff: false },
  { name: 'atHome', title: 'each key at one process', make: atHome, isCutOff: false },
] as const satisfies { name: string; title: string; make: (parts: WayParts) => Way; isCutOff: boolean }[];

function largeLeases(parts: WayParts): Way {
  return leased({ ...parts, lease: parts.lease * 20 });
}

export type WayName = (typeof ways)[number]['name'];
