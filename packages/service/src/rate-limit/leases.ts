/**
 * Leases: for a caller that sends many requests, a process counts some of the next ones ahead, and lets them pass without asking the
 * counters. docs/operate/counting.md shows an example. Without them, PostgreSQL serves a sixth fewer GETs and lists.
 */
import { LRUCache } from 'lru-cache';
import { minuteOf } from '../common/time.ts';
import type { Quota, Usage } from './count-request.ts';
import type { Count, SharedRequest } from './counters.ts';

/** Milliseconds that a lease is used. */
const LEASE_TIME = 1_000;
/** The requests per second from which on a caller has leases, of a twentieth of them. */
const BUSY = 1_000;

type Caller = {
  /** Requests in the current second of `performance.now()`, and before. */
  second: number;
  sent: number;
  sentBefore: number;
  /** Whether a request that counts ahead is on its way. */
  isAsking: boolean;
  lease: Lease | undefined;
};

type Lease = {
  quota: Quota;
  /** Requests that were counted ahead and have not come yet. */
  left: number;
  /** What the caller has used without them. */
  usage: Usage;
  /** The time by the clock that counted, and by `performance.now()`. */
  now: number;
  takenAt: number;
};

/** What a server counts ahead. */
export class Leases {
  readonly #callers = new LRUCache<string, Caller>({ max: 10_000 });

  /** Counts a request that was counted ahead; undefined if the counters have to be asked. */
  take({ caller, quota, now }: SharedRequest): Count | undefined {
    const at = performance.now();
    const lease = this.#noted(caller, at).lease;
    if (lease === undefined || lease.left === 0 || at - lease.takenAt > LEASE_TIME) return undefined;
    const time = now ?? lease.now + Math.floor(at - lease.takenAt);
    const { usage } = lease;
    const isSameQuota = quota.perMinute === lease.quota.perMinute && quota.perDay === lease.quota.perDay;
    if (!isSameQuota || minuteOf(time) !== usage.minute) return undefined;
    lease.left -= 1;
    usage.minuteUsed += 1;
    usage.dayUsed += 1;
    return { now: time, outcome: 'allowed', banStarted: false, usage };
  }

  /** Asks the counters, and keeps what they have counted ahead. What is left of the last lease is given back. */
  async ask(request: SharedRequest, count: (request: SharedRequest) => Promise<Count>): Promise<Count> {
    const caller = this.#callers.get(request.caller);
    if (caller === undefined || caller.isAsking) return count(request);
    const { lease } = caller;
    const rate = Math.max(caller.sent, caller.sentBefore);
    const ahead = rate < BUSY ? 0 : Math.floor(rate / 20);
    const unused = lease === undefined ? undefined : { requests: lease.left, minute: lease.usage.minute };
    caller.lease = undefined;
    caller.isAsking = true;
    try {
      const counted = await count({ ...request, ahead, unused });
      const { now, usage, ahead: left = 0 } = counted;
      if (left > 0) {
        caller.lease = { quota: request.quota, left, usage: { ...usage }, now, takenAt: performance.now() };
      }
      return counted;
    } finally {
      caller.isAsking = false;
    }
  }

  /** Notes a request of a caller. */
  #noted(id: string, at: number): Caller {
    let caller = this.#callers.get(id);
    if (caller === undefined) {
      caller = { second: 0, sent: 0, sentBefore: 0, isAsking: false, lease: undefined };
      this.#callers.set(id, caller);
    }
    const second = Math.floor(at / 1_000);
    if (second !== caller.second) {
      caller.sentBefore = second === caller.second + 1 ? caller.sent : 0;
      caller.second = second;
      caller.sent = 0;
    }
    caller.sent += 1;
    return caller;
  }
}
