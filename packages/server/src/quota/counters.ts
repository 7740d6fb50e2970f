import type { BanRules } from './bans.ts';
import type { Quota, Usage } from './usage.ts';
import type { Judgement } from './verdict.ts';

/** One request to be counted where all processes count. */
export type Call = Quota & {
  /** Unix milliseconds; left out, the clock of the counters says what time it is. */
  now?: number | undefined;
  /** When sending after a 429 leads to a ban; left out for callers that are never banned. */
  rules?: BanRules | undefined;
  /** Where the caller stands as far as this process knows. */
  known: Usage;
  /** How much of that this process counted while it was cut off, in `known`'s windows. */
  alone: { minute: number; day: number };
};

/** What came of it. */
export type Count = Judgement & {
  /** Unix milliseconds by the clock that decided. */
  now: number;
  /** Where the caller stands, this request included. */
  usage: Usage;
};

/** Counters that all processes share. */
export interface Counters {
  /**
   * Counts one request of a caller, in one round trip. Rejects when that is not possible. Answers about a caller come in the
   * order in which they were asked for.
   */
  count(caller: string, call: Call): Promise<Count>;
}

/** Counters elsewhere, which may be away. */
export interface RemoteCounters extends Counters {
  /** Why there is no connection; undefined where there is one, or where that is not known. */
  lastError(): unknown;
  /** Calls back each time it turns out that they are away, whoever finds out. */
  onAway(listener: (error: unknown) => void): void;
  close(): void;
}
