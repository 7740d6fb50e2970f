import { anonymousLimits, plans } from '@animal-store/contract';
import type { KeyRecord } from '../storage/storage.ts';
import type { Quota } from './usage.ts';

/** What counting needs to know of a key. */
export type CountedKey = Pick<KeyRecord, 'id' | 'plan' | 'perMinute' | 'perDay'>;

/** The quota of requests without a valid key. */
export const anonymousQuota: Quota = anonymousLimits;

/** The quota of a key: its plan's, or its own where the plan has none. */
export function quotaOf(key: CountedKey): Quota {
  const plan = plans[key.plan];
  if (!('custom' in plan)) return plan;
  if (key.perMinute === undefined || key.perDay === undefined) {
    throw new Error(`The key ${key.id} is on plan ${key.plan} and has no limits of its own.`);
  }
  return { perMinute: key.perMinute, perDay: key.perDay };
}
