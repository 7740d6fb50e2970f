import type { Logger } from 'pino';
import { TimeoutError } from '../common/time.ts';
import { Circuit } from './circuit.ts';
import { countRequest, emptyUsage, forgetBan, type Usage, type Verdict, verdictOf } from './count-request.ts';
import {
  type Call,
  type Count,
  type Counters,
  type CountingStrategy,
  LateCountError,
  type RemoteCounters,
  type RequestToCount,
} from './counters.ts';

export type SharedCounting = {
  counting: CountingStrategy;
  /** Whether the shared counters answer. */
  readonly isUp: boolean;
  /** Calls back after each call of a request to the counters, with its milliseconds. */
  onCall: (listener: (milliseconds: number) => void) => void;
  close: () => void;
};

export type SharedCountingParts = {
  log: Logger;
  /** The longest that a request waits for the counters, in milliseconds. */
  timeoutMs: number;
  /** Whether the counters use the clock of this process instead of their own. */
  usesLocalClock: boolean;
  /** Counters that are used while the first ones are unavailable. */
  fallback?: RemoteCounters | undefined;
};

/** Shared counters with the circuit that protects requests from them. */
export type GuardedCounters = { counters: Counters; circuit: Circuit };

/**
 * Milliseconds for which requests are counted in both counters after the first ones are back. Longer than the processes take to notice, so
 * that none of them counts only here while another one counts only there.
 */
const SETTLING = 2_000;

/** The longest timeout that a timer supports, in milliseconds. The counters in the database have their own timeouts. */
export const NO_TIMEOUT = 2 ** 31 - 1;

const probeCall: Call = { perMinute: 1, perDay: 1, localUsage: emptyUsage(0), unsynced: { minute: 0, day: 0 } };

/** Opens counting in counters that all processes share. Resolves after a first probe, whether or not it succeeds. */
export async function openSharedCounting(
  counters: RemoteCounters,
  { log, timeoutMs, usesLocalClock, fallback }: SharedCountingParts,
): Promise<SharedCounting> {
  // The probe writes, as a request does, so that read-only counters fail it.
  const probe = () => counters.count('probe', probeCall);
  const reason = (error: unknown) => counters.lastError() ?? error;
  const meanwhile = fallback && { meanwhile: 'the database counts' };
  const circuit = new Circuit(probe, { log, timeoutMs, reason, ...meanwhile });
  counters.onAway((error) => circuit.open(error));
  await circuit.run(probe).catch((error: unknown) => circuit.open(error));
  const second = fallback && guardFallback(fallback, log);
  return {
    counting: sharedCounting({ counters, circuit }, usesLocalClock, second),
    get isUp() {
      return circuit.isClosed;
    },
    onCall: (listener) => {
      circuit.onCall = listener;
    },
    close: () => {
      circuit.end();
      second?.circuit.end();
      counters.close();
    },
  };
}

/** Counters with timeouts of their own, which are not used before the first ones fail. */
function guardFallback(counters: RemoteCounters, log: Logger): GuardedCounters {
  const probe = () => counters.count('probe', probeCall);
  const circuit = new Circuit(probe, { log, timeoutMs: NO_TIMEOUT, what: 'the counters in the database' });
  counters.onAway((error) => circuit.open(error));
  return { counters, circuit };
}

type Windows = Pick<Usage, 'minute' | 'minuteUsed' | 'day' | 'dayUsed'>;

/**
 * Counts in counters that all processes share. While they are unavailable, the fallback counts; without one, this process
 * continues from the last usage that they returned. The next request that reaches any of them hands over what was counted in the
 * meantime.
 *
 * @param usesLocalClock whether the counters use the clock of this process instead of their own
 */
export function sharedCounting(
  first: GuardedCounters,
  usesLocalClock: boolean,
  fallback?: GuardedCounters,
): CountingStrategy {
  /** The part of each usage that the shared counters have seen. */
  const synced = new WeakMap<Usage, Windows>();

  async function count(request: RequestToCount): Promise<Verdict> {
    const { usage, quota, now, rules } = request;
    const { circuit } = first;
    const isSettling = fallback?.circuit.isClosed === true && circuit.isClosed && circuit.closedFor < SETTLING;
    const shared = isSettling ? await countInBoth(request, fallback) : await countShared(first, request);
    if (typeof shared === 'object') return verdictOf(shared.usage, quota, shared.now, shared);
    const other = fallback === undefined || isSettling ? undefined : await countShared(fallback, request);
    if (typeof other === 'object') return verdictOf(other.usage, quota, other.now, other);
    const verdict = countRequest(usage, quota, now, rules);
    if (shared === 'in flight' || other === 'in flight') addTo(syncedPartOf(usage), usage, { minute: 1, day: 1 });
    return verdict;
  }

  /**
   * `failed` if the counters did not count the request; `in flight` if their answer is late, because they count it as soon as
   * they continue.
   */
  async function countShared({ counters, circuit }: GuardedCounters, request: RequestToCount): Promise<Shared> {
    const { callerId, usage, quota, now, rules } = request;
    const before = syncedPartOf(usage);
    if (!circuit.isClosed) return 'failed';
    const unsynced = unsyncedPartOf(usage, before);
    const { perMinute, perDay } = quota;
    const call = { perMinute, perDay, rules, localUsage: usage, unsynced, now: usesLocalClock ? now : undefined };
    // This call hands over the unsynced part; calls that are sent before its answer must not repeat that.
    const handedOver = windowsOf(usage);
    synced.set(usage, handedOver);
    let sent: Promise<Count> | undefined;
    try {
      const answer = await circuit.run(() => {
        sent = counters.count(callerId, call);
        return sent;
      });
      // If the circuit has opened since, this process has counted on its own, and the answer must not overwrite that.
      if (circuit.isClosed) applySharedUsage(usage, answer.usage);
      return answer;
    } catch (error) {
      const late = lateAnswerOf(error, sent);
      if (late === undefined) {
        rollbackHandover(syncedPartOf(usage), handedOver, unsynced);
        return 'failed';
      }
      late.then(
        (answer) => applyLateUsage(circuit, usage, answer.usage),
        // Neither this request nor the requests that it was to hand over were counted there.
        () => rollbackHandover(syncedPartOf(usage), handedOver, addRequests(unsynced, fallback === undefined ? 1 : 0)),
      );
      return 'in flight';
    }
  }

  /**
   * Counts in both, and returns the stricter result. A copy of the usage goes to the first counters, which so learn what the fallback
   * counted before this request.
   */
  async function countInBoth(request: RequestToCount, second: GuardedCounters): Promise<Shared> {
    const { usage } = request;
    const copy = { ...request, usage: { ...usage } };
    const [ours, theirs] = await Promise.all([countShared(first, copy), countShared(second, request)]);
    if (typeof ours !== 'object') return typeof theirs === 'object' ? theirs : ours;
    const stricter = typeof theirs === 'object' && isStricter(theirs, ours) ? theirs : ours;
    applySharedUsage(usage, stricter.usage);
    return stricter;
  }

  /** A late answer only adds to what is known, because requests after it may have been counted here. */
  function applyLateUsage(circuit: Circuit, usage: Usage, shared: Usage): void {
    const isAhead = shared.day === usage.day && shared.minute === usage.minute && shared.minuteUsed > usage.minuteUsed;
    if (circuit.isClosed && isAhead && shared.dayUsed >= usage.dayUsed) applySharedUsage(usage, shared);
  }

  function syncedPartOf(usage: Usage): Windows {
    const windows = synced.get(usage) ?? windowsOf(usage);
    synced.set(usage, windows);
    return windows;
  }

  function applySharedUsage(usage: Usage, shared: Usage): void {
    Object.assign(usage, shared);
    synced.set(usage, windowsOf(shared));
  }

  async function endBan(callerId: string, usage: Usage): Promise<void> {
    const { bannedUntil } = usage;
    forgetBan(usage);
    // If the counters are unavailable, the next request that they count finds the ban again.
    for (const { counters, circuit } of fallback === undefined ? [first] : [first, fallback]) {
      if (circuit.isClosed) await circuit.run(() => counters.endBan(callerId, bannedUntil)).catch(() => {});
    }
  }

  return { isShared: true, count, endBan };
}

/** The answer that a request did not wait for; undefined if the counters do not count the request. */
function lateAnswerOf(error: unknown, sent: Promise<Count> | undefined): Promise<Count> | undefined {
  if (error instanceof LateCountError) return error.late;
  return error instanceof TimeoutError ? sent : undefined;
}

/** What shared counters made of a request: see `countShared`. */
type Shared = Count | 'failed' | 'in flight';

function isStricter(one: Count, other: Count): boolean {
  const severity = (count: Count) => ['allowed', 'limited', 'banned'].indexOf(count.outcome);
  const difference = severity(one) - severity(other);
  return difference === 0 ? one.usage.minuteUsed > other.usage.minuteUsed : difference > 0;
}

function addRequests(
  { minute, day }: { minute: number; day: number },
  requests: number,
): { minute: number; day: number } {
  return { minute: minute + requests, day: day + requests };
}

function windowsOf({ minute, minuteUsed, day, dayUsed }: Usage): Windows {
  return { minute, minuteUsed, day, dayUsed };
}

function unsyncedPartOf(usage: Usage, synced: Windows): { minute: number; day: number } {
  return {
    minute: usage.minuteUsed - (usage.minute === synced.minute ? synced.minuteUsed : 0),
    day: usage.dayUsed - (usage.day === synced.day ? synced.dayUsed : 0),
  };
}

/** Marks requests of the windows of `usage` as seen by the shared counters. */
function addTo(synced: Windows, { minute, day }: Usage, requests: { minute: number; day: number }): void {
  if (synced.minute === minute) synced.minuteUsed += requests.minute;
  if (synced.day === day) synced.dayUsed += requests.day;
}

/** Marks the usage that a failed call was to hand over as unsynced again. */
function rollbackHandover(synced: Windows, handedOver: Windows, unsynced: { minute: number; day: number }): void {
  if (synced.minute === handedOver.minute) synced.minuteUsed -= unsynced.minute;
  if (synced.day === handedOver.day) synced.dayUsed -= unsynced.day;
}
