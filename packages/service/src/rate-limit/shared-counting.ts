import type { Logger } from 'pino';
import { minuteOf, TimeoutError } from '../common/time.ts';
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
import { Lease } from './lease.ts';
import { UnconfirmedUsage } from './unconfirmed-usage.ts';

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
  const circuit = new Circuit(probe, { name: counters.name, log, timeoutMs, reason, fallback: fallback?.name });
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
  const circuit = new Circuit(probe, { name: counters.name, log, timeoutMs: NO_TIMEOUT });
  counters.onAway((error) => circuit.open(error));
  return { counters, circuit };
}

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
  const unconfirmedParts = new WeakMap<Usage, UnconfirmedUsage>();
  const leases = new WeakMap<Usage, Lease>();
  /** The counters that last reported a usage. */
  const reporters = new WeakMap<Usage, Counters>();
  /** A request of each caller that has requests counted in advance. */
  const leased = new Map<Usage, RequestToCount>();

  async function count(request: RequestToCount): Promise<Verdict> {
    const { usage, quota, now } = request;
    const lease = leaseOf(usage);
    const time = timeOf(now);
    lease.note(time);
    // This request asks for more, and the others use what is left.
    const isRenewing = canReserve(request) && !lease.isOver(time) && lease.wanted(usage, quota, time) > 0;
    const verdict = isRenewing ? undefined : lease.take(usage, quota, time);
    if (verdict !== undefined) return verdict;
    if (!isRenewing) endLease(usage, lease);
    return countNow(request, lease);
  }

  function canReserve({ rules }: RequestToCount): boolean {
    return first.circuit.isClosed && rules?.graceSeconds !== 0;
  }

  function timeOf(now: number): number {
    return usesLocalClock ? now : performance.now();
  }

  async function countNow(request: RequestToCount, lease: Lease): Promise<Verdict> {
    const { usage, quota, now, rules } = request;
    const { circuit } = first;
    const isSettling = fallback?.circuit.isClosed === true && circuit.isClosed && circuit.closedFor < SETTLING;
    const results = isSettling ? await countInBoth(request, fallback) : [await countReserving(request, lease)];
    if (!results.some(isCount) && fallback !== undefined && !isSettling)
      results.push(await countShared(fallback, request));
    const late = results.flatMap(lateAnswersOf);
    const counted = strictest(results);
    const verdict =
      counted === undefined
        ? countRequest(usage, quota, now, rules)
        : verdictOf(lease.without(counted.usage), quota, counted.now, counted);
    const isFirstLate = results.slice(0, 1).flatMap(lateAnswersOf).length > 0;
    const unconfirmed = unconfirmedOf(usage);
    // The next request goes to the first counters, which do not count this one.
    if (counted === undefined && circuit.isClosed && !isFirstLate) unconfirmed.giveBack(unconfirmed.addOne());
    else if (counted === undefined || late.length > 0) noteInFlight(unconfirmed, late, counted !== undefined);
    return verdict;
  }

  /**
   * Notes that a request that the usage includes may still be counted by counters that are late. One of them suffices, because counters that
   * are back get the usage that is known.
   */
  function noteInFlight(unconfirmed: UnconfirmedUsage, late: Promise<Count>[], isCounted: boolean): void {
    const one = unconfirmed.addOne();
    Promise.any(late).then(
      () => unconfirmed.confirm(one),
      () => (isCounted ? unconfirmed.keep(one) : unconfirmed.giveBack(one)),
    );
  }

  /** Counts a request, and more in advance if the caller is busy. */
  async function countReserving(request: RequestToCount, lease: Lease): Promise<Result> {
    const { usage, quota, now, rules } = request;
    const start = timeOf(now);
    const wanted = canReserve(request) ? lease.wanted(usage, quota, start) : 0;
    if (wanted === 0) return countShared(first, request);
    const unconfirmed = unconfirmedOf(usage);
    const { minute, day } = usage;
    const reserved = { minute, minuteUsed: wanted, day, dayUsed: wanted };
    unconfirmed.add(reserved, 1);
    lease.isAsking = true;
    const result = await countShared(first, request);
    lease.isAsking = false;
    if (isCount(result) && result.outcome === 'allowed' && result.usage.minute === minute && result.usage.day === day) {
      lease.begin(wanted, quota, result, start, rules?.graceSeconds ?? Number.POSITIVE_INFINITY);
      leased.set(usage, request);
      return result;
    }
    const notReserved = () => {
      unconfirmed.add(reserved, -1);
      leased.set(usage, request);
    };
    const [late] = lateAnswersOf(result);
    // Until then, the counters may still count the requests that were to be reserved.
    if (late === undefined) notReserved();
    else late.then(notReserved, notReserved);
    return result;
  }

  function endLease(usage: Usage, lease: Lease): void {
    if (lease.left > 0) unconfirmedOf(usage).add(lease.end(), -1);
  }

  async function giveBack(now: number, isLast: boolean): Promise<void> {
    const ended = [...leased].filter(([usage]) => isLast || leaseOf(usage).isOver(timeOf(now)));
    await Promise.all(ended.map(([usage, request]) => giveBackOne(usage, { ...request, now })));
  }

  /** Hands a request over that never was, which takes the place of the one that each call counts. */
  async function giveBackOne(usage: Usage, request: RequestToCount): Promise<void> {
    const lease = leaseOf(usage);
    endLease(usage, lease);
    const unconfirmed = unconfirmedOf(usage);
    // In a new minute, or before any request of it, the next request gives them back, because this call would count as one.
    const canSend =
      first.circuit.isClosed && usage.minute === minuteOf(request.now) && unconfirmed.known().minuteUsed > 1;
    if (!unconfirmed.isUnsynced) leased.delete(usage);
    else if (canSend) await handOver(usage, request, unconfirmed);
  }

  async function handOver(usage: Usage, request: RequestToCount, unconfirmed: UnconfirmedUsage): Promise<void> {
    leased.delete(usage);
    const { minute, day } = usage;
    const none = { minute, minuteUsed: 1, day, dayUsed: 1 };
    unconfirmed.add(none, -1);
    const quota = { perMinute: Number.MAX_SAFE_INTEGER, perDay: Number.MAX_SAFE_INTEGER };
    const result = await countShared(first, { ...request, quota });
    if (isCount(result)) return;
    const notCounted = () => unconfirmed.add(none, 1);
    if (result.late === undefined) notCounted();
    else result.late.catch(notCounted);
  }

  function leaseOf(usage: Usage): Lease {
    const lease = leases.get(usage) ?? new Lease();
    leases.set(usage, lease);
    return lease;
  }

  async function countShared({ counters, circuit }: GuardedCounters, request: RequestToCount): Promise<Result> {
    if (!circuit.isClosed) return { late: undefined };
    const { callerId, usage, quota, now, rules } = request;
    const unconfirmed = unconfirmedOf(usage);
    const localUsage = unconfirmed.known();
    // Other counters have not seen the usage, so they get all of it.
    const isOwn = reporters.get(usage) === counters;
    const certain = isOwn ? unconfirmed.certain(leaseOf(usage).returnable(usage, quota)) : localUsage;
    // Calls that are sent before the answer must not hand over the same requests.
    const handedOver = unconfirmed.handOver();
    const { lateAnswers } = unconfirmed;
    const unsynced = { minute: handedOver.minuteUsed, day: handedOver.dayUsed };
    const call = { ...quota, rules, localUsage, certain, unsynced, now: usesLocalClock ? now : undefined };
    const confirm = (answer: Count, isInTime: boolean) => {
      reporters.set(usage, counters);
      unconfirmed.confirm(handedOver);
      if (isInTime && unconfirmed.lateAnswers === lateAnswers) unconfirmed.replace(answer.usage);
      else unconfirmed.raise(answer.usage);
    };
    let sent: Promise<Count> | undefined;
    try {
      const answer = await circuit.run(() => {
        sent = counters.count(callerId, call);
        return sent;
      });
      // If the circuit has opened since, this process has counted on its own, and the answer must not overwrite that.
      confirm(answer, circuit.isClosed);
      return answer;
    } catch (error) {
      const late = lateAnswerOf(error, sent);
      if (late === undefined) unconfirmed.giveBack(handedOver);
      late?.then(
        (answer) => confirm(answer, false),
        () => unconfirmed.giveBack(handedOver),
      );
      return { late };
    }
  }

  /**
   * Counts in both. A copy of the usage goes to the first counters, which so learn what the fallback counted before this request. The
   * requests that this process counted alone go to the fallback only, because its answer tells whether they are to be handed over again. The
   * stricter result is what is known afterwards.
   */
  async function countInBoth(request: RequestToCount, second: GuardedCounters): Promise<Result[]> {
    const { usage } = request;
    const copy = { ...request, usage: unconfirmedOf(usage).reported() };
    const results = await Promise.all([countShared(first, copy), countShared(second, request)]);
    const counted = strictest(results);
    if (counted !== undefined) unconfirmedOf(usage).replace(counted.usage);
    return results;
  }

  function unconfirmedOf(usage: Usage): UnconfirmedUsage {
    const part = unconfirmedParts.get(usage) ?? new UnconfirmedUsage(usage);
    unconfirmedParts.set(usage, part);
    return part;
  }

  async function endBan(callerId: string, usage: Usage): Promise<void> {
    const { bannedUntil } = usage;
    forgetBan(usage);
    // If the counters are unavailable, the next request that they count finds the ban again.
    for (const { counters, circuit } of fallback === undefined ? [first] : [first, fallback]) {
      if (circuit.isClosed) await circuit.run(() => counters.endBan(callerId, bannedUntil)).catch(() => {});
    }
  }

  return { isShared: true, count, endBan, giveBack };
}

/** The answer that a request did not wait for; undefined if the counters do not count the request. */
function lateAnswerOf(error: unknown, sent: Promise<Count> | undefined): Promise<Count> | undefined {
  if (error instanceof LateCountError) return error.late;
  return error instanceof TimeoutError ? sent : undefined;
}

/** How counters handled a request. `late` is the answer that it did not wait for; without one, they do not count the request. */
type Result = Count | { late: Promise<Count> | undefined };

function isCount(result: Result): result is Count {
  return 'usage' in result;
}

function lateAnswersOf(result: Result): Promise<Count>[] {
  return isCount(result) || result.late === undefined ? [] : [result.late];
}

/** The stricter count; the first if both are equally strict. */
function strictest(results: Result[]): Count | undefined {
  const severity = (count: Count) => ['allowed', 'limited', 'banned'].indexOf(count.outcome);
  const counts = results.filter(isCount);
  return counts.sort(
    (one, other) => severity(other) - severity(one) || other.usage.minuteUsed - one.usage.minuteUsed,
  )[0];
}
