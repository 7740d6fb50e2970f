import type { MaybePromise } from '../common/maybe-promise.ts';
import type { BanRules } from '../quota/bans.ts';
import { countRequest } from '../quota/count-request.ts';
import type { Quota, Usage } from '../quota/usage.ts';
import type { Verdict } from '../quota/verdict.ts';

/** A request that is to be counted, by whoever counts. */
export type Countable = {
  /** `key:` or `address:` and which one. */
  caller: string;
  /** Where the caller stands as far as this process knows; brought up to date. */
  usage: Usage;
  quota: Quota;
  /** Unix milliseconds by the clock of this process. */
  now: number;
  /** Undefined for callers that are never banned. */
  rules: BanRules | undefined;
};

/** Who counts. */
export interface Counting {
  /** Whether others count the same callers; then what one process knows is not the whole. */
  readonly isShared: boolean;
  /** Counts one request. Never rejects because somebody else is away. */
  count(request: Countable): MaybePromise<Verdict>;
}

/** This process counts, and nobody else. */
export const countHere: Counting = {
  isShared: false,
  count: ({ usage, quota, now, rules }) => countRequest(usage, quota, now, rules),
};
