/**
 * Leases: for a caller that sends many requests, a process counts some of the next ones ahead, and lets them pass without asking the
 * counters. docs/operate/counting.md shows an example. Without them, PostgreSQL serves a sixth fewer GETs.
 */
import { LRUCache } from 'lru-cache';
import { minuteOf } from '../common/time.ts';
import type { Quota, Usage } from './count-request.ts';
import type { Count, SharedRequest } from './counters.ts';

/** Milliseconds that a lease is used. */
const LEASE_TIME = 1_000;
/** The requests per second from which on a caller has leases, of a twentieth of them. */
const BUSY = 1_000;

/** A caller is asked for again while a quarter of its lease is left, so that no request waits for the answer. */
const RENEWED_AT = 4;

type Caller = {
  /** Requests in the current second of `performance.now()`, and before. */
  second: number;
  sent: number;
  sentBefore: number;
  /** Whether a request that counts ahead is on its way. */
  isAsking: boolean;
  lease: Lease | undefined;
  /** What is left of a lease that is over, until it is given back. */
  unused: SharedRequest['unused'];
};

type Lease = {
  quota: Quota;
  size: number;
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
  take(request: SharedRequest): Count | undefined {
    const caller = this.#noted(request.caller);
    const { lease } = caller;
    if (lease === undefined || lease.left === 0) return undefined;
    if (lease.left <= lease.size / RENEWED_AT && !caller.isAsking) return undefined;
    const now = timeIn(lease, request);
    if (now === undefined) return undefined;
    const { usage } = lease;
    lease.left -= 1;
    usage.minuteUsed += 1;
    usage.dayUsed += 1;
    return { now, outcome: 'allowed', banStarted: false, usage };
  }

  /** Asks the counters, and keeps what they have counted ahead. Meanwhile, other requests use what is left of the last lease. */
  async ask(request: SharedRequest, count: (request: SharedRequest) => Promise<Count>): Promise<Count> {
    const caller = this.#callers.get(request.caller);
    if (caller === undefined || caller.isAsking) return count(request);
    if (caller.lease !== undefined && timeIn(caller.lease, request) === undefined) end(caller, caller.lease);
    const rate = Math.max(caller.sent, caller.sentBefore);
    const ahead = rate < BUSY ? 0 : Math.max(0, Math.floor(rate / 20) - (caller.lease?.left ?? 0));
    const { unused } = caller;
    caller.unused = undefined;
    caller.isAsking = true;
    try {
      const counted = await count({ ...request, ahead, unused });
      const { lease } = caller;
      const isOver = counted.outcome === 'banned' || lease?.usage.minute !== counted.usage.minute;
      if (lease !== undefined && isOver) end(caller, lease);
      const rest = caller.lease?.left ?? 0;
      const { minuteUsed, dayUsed } = counted.usage;
      const usage = { ...counted.usage, minuteUsed: minuteUsed - rest, dayUsed: dayUsed - rest };
      const left = rest + (counted.ahead ?? 0);
      const taken = { quota: request.quota, usage: { ...usage }, now: counted.now, takenAt: performance.now() };
      caller.lease = left === 0 ? undefined : { ...taken, size: left, left };
      return { ...counted, usage };
    } finally {
      caller.isAsking = false;
    }
  }

  /** Notes a request of a caller. */
  #noted(id: string): Caller {
    let caller = this.#callers.get(id);
    if (caller === undefined) {
      caller = { second: 0, sent: 0, sentBefore: 0, isAsking: false, lease: undefined, unused: undefined };
      this.#callers.set(id, caller);
    }
    const second = Math.floor(performance.now() / 1_000);
    if (second !== caller.second) {
      caller.sentBefore = second === caller.second + 1 ? caller.sent : 0;
      caller.second = second;
      caller.sent = 0;
    }
    caller.sent += 1;
    return caller;
  }
}

/** The time of a request by the clock that counted, if the lease holds for it. */
function timeIn({ quota, usage, now, takenAt }: Lease, request: SharedRequest): number | undefined {
  const passed = performance.now() - takenAt;
  const time = request.now ?? now + Math.floor(passed);
  const isSameQuota = request.quota.perMinute === quota.perMinute && request.quota.perDay === quota.perDay;
  return isSameQuota && passed <= LEASE_TIME && minuteOf(time) === usage.minute ? time : undefined;
}

/** The rest is given back with the next request that asks. */
function end(caller: Caller, { left, usage }: Lease): void {
  caller.unused = { requests: left, minute: usage.minute };
  caller.lease = undefined;
}
