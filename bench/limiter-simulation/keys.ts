import { plans } from '@animal-store/contract';
import type { Quota } from '../../packages/server/src/quota/usage.ts';

/** A key of the population, and how much it asks for. */
export type SimulatedKey = { index: number; kind: Kind; quota: Quota; perSecond: number };

export const kinds = ['free', 'pro', 'business', 'hot'] as const;
export type Kind = (typeof kinds)[number];

/** The hot key: an enterprise key with so much a minute for each process, that asks for twice its quota. */
const HOT_PER_PROCESS = 60;
const HOT_FACTOR = 2;

/** Which part of the other keys is on a plan, and how the plans follow each other. */
const parts = { business: 0.01, pro: 0.1, free: 1 } as const;

/** The least and the most that a key asks for, in quotas: half of the keys ask for more than theirs. */
const [LEAST, MOST] = [0.25, 4];

/** A population: one hot key, and the rest on the plans of the contract. */
export function makeKeys(options: { keys: number; processes: number }, random: () => number): SimulatedKey[] {
  const perMinute = HOT_PER_PROCESS * options.processes;
  return Array.from({ length: options.keys }, (_, index) => {
    if (index === 0) return keyOf(index, 'hot', { perMinute, perDay: perMinute * 1_440 }, HOT_FACTOR);
    const kind = kindAt(index / options.keys);
    return keyOf(index, kind, plans[kind], LEAST * (MOST / LEAST) ** random());
  });
}

function kindAt(place: number): keyof typeof parts {
  if (place < parts.business) return 'business';
  return place < parts.business + parts.pro ? 'pro' : 'free';
}

function keyOf(index: number, kind: Kind, quota: Quota, factor: number): SimulatedKey {
  return { index, kind, quota, perSecond: (quota.perMinute * factor) / 60 };
}

/** Chooses keys, each as often as it asks. */
export function keyChooser(keys: readonly SimulatedKey[], random: () => number): () => SimulatedKey {
  const ends: number[] = [];
  let sum = 0;
  for (const key of keys) {
    sum += key.perSecond;
    ends.push(sum);
  }
  return () => {
    const chosen = keys[firstAbove(ends, random() * sum)];
    if (chosen === undefined) throw new Error('There is no key to choose.');
    return chosen;
  };
}

/** Where a value belongs in an ascending list. */
function firstAbove(ends: readonly number[], value: number): number {
  let [low, high] = [0, ends.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
