import type { BanRules, Decision } from './count-request.ts';
import type { Quota, Usage } from './usage.ts';

/** One request to count in the counters that all processes share. */
export type Call = Quota & {
  /** Unix milliseconds; if left out, the counters use their own clock. */
  now?: number | undefined;
  /** When requests after a 429 lead to a ban; left out for callers that are never banned. */
  rules?: BanRules | undefined;
  /** The caller's usage as far as this process knows it. */
  localUsage: Usage;
  /** The part of `localUsage`, in its windows, that the shared counters have not seen. */
  unsynced: { minute: number; day: number };
};

/** The result of counting a request. */
export type Count = Decision & {
  /** Unix milliseconds by the clock that decided. */
  now: number;
  /** The caller's usage, this request included. */
  usage: Usage;
};

/** Counters that all processes share. */
export interface Counters {
  /**
   * Counts one request of a caller, in one round trip. Rejects if that is not possible. Requests of a caller are answered in
   * the order in which they were sent.
   */
  count(callerId: string, call: Call): Promise<Count>;
}

/** Shared counters behind a network connection. */
export interface RemoteCounters extends Counters {
  /** Why there is no connection; undefined if there is one, or if the reason is unknown. */
  lastError(): unknown;
  /** Registers a listener that is called each time the counters turn out to be unreachable. */
  onAway(listener: (error: unknown) => void): void;
  close(): void;
}
