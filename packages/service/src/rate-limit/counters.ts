import type { Logger } from 'pino';
import type { BanRules } from '../common/facts.ts';
import { withTimeout } from '../common/time.ts';
import { StorageUnavailableError } from '../storage/storage.ts';
import {
  countRequest,
  type Decision,
  emptyUsage,
  forgetBan,
  type Quota,
  type Usage,
  type Verdict,
  verdictOf,
} from './count-request.ts';
import { Leases } from './leases.ts';

/** A request to be counted. */
export type RequestToCount = {
  /** `key:` or `address:`, and the ID of the key or the address. */
  caller: string;
  quota: Quota;
  /** Undefined for callers that are never banned. */
  rules: BanRules | undefined;
  /** The usage of the caller as far as this process knows it. */
  usage: Usage;
  /** Unix milliseconds by the clock of this process. */
  now: number;
};

/** A request that cannot be counted, with the verdict by what the process last knew of the caller. */
export class CountersDownError extends StorageUnavailableError {
  readonly known: Verdict;
  constructor(cause: unknown, known: Verdict) {
    super(cause, 'the shared counters do not answer');
    this.known = known;
  }
}

/** Counts requests for the limiter. */
export interface Counters {
  /**
   * Counts one request, and updates its `usage`.
   * @throws CountersDownError if shared counters do not answer and `COUNTERS_DOWN` is `refuse`
   */
  count(request: RequestToCount): Promise<Verdict>;
  endBan(caller: string, usage: Usage): Promise<void>;
}

/** A request for counters that all processes share. Without `now`, they use their own clock. */
export type SharedRequest = Omit<RequestToCount, 'now'> & {
  now?: number | undefined;
  /** Further requests that may be counted with this one, for the next ones of the caller, if the counters count ahead. */
  ahead?: number;
  /** Requests that were counted ahead and did not come, and their minute. */
  unused?: { requests: number; minute: number } | undefined;
};

/** The result of counting a request. */
export type Count = Decision & {
  /** Unix milliseconds by the clock that decided. */
  now: number;
  /** The caller's usage, this request included. */
  usage: Usage;
  /** The requests that were counted ahead, which `usage` does not include. */
  ahead?: number;
};

/** Counters that all processes share, such as those in PostgreSQL. */
export interface SharedCounters {
  /**
   * Counts one request of a caller exactly as `countRequest` does, in one round trip. If the counters have counted less than the `usage` of
   * the request, because they lost data, they continue from it; the later ban applies. Rejects if that is not possible.
   */
  count(request: SharedRequest): Promise<Count>;
  /** Deletes the ban of a caller, unless it ends after `bannedUntil`. */
  endBan(caller: string, bannedUntil: number): Promise<void>;
  readonly countsAhead?: boolean;
  close(): void;
}

export type CountersOptions = {
  log: Logger;
  /** The longest that a request waits for the counters, in milliseconds. */
  timeoutMs: number;
  /** What happens to a request that they do not count. */
  whenDown: 'count-locally' | 'refuse';
  /** Whether they use the clock of this process instead of their own, as only tests do. */
  usesLocalClock: boolean;
};

/** The requests that shared counters have counted, and those that they have not. */
export type CountedRequests = { answered: number; failed: number };

/** Milliseconds between two requests that ask counters that did not answer the last one. The others do not wait for them. */
const RETRY_INTERVAL = 1_000;

/** The counters of the limiter in front of shared ones. docs/operate/counting.md describes what happens if these do not answer. */
export function guardCounters(
  shared: SharedCounters,
  { log, timeoutMs, whenDown, usesLocalClock }: CountersOptions,
): Counters & { requests: CountedRequests } {
  const requests: CountedRequests = { answered: 0, failed: 0 };
  const leases = shared.countsAhead === true ? new Leases() : undefined;
  let isDown = false;
  let failedAt = Number.NEGATIVE_INFINITY;
  let askAgainAt = Number.NEGATIVE_INFINITY;

  async function ask<T>(call: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    if (isDown && startedAt < askAgainAt) throw new Error('The shared counters did not answer recently.');
    if (isDown) askAgainAt = startedAt + RETRY_INTERVAL;
    try {
      const answer = await withTimeout(call(), timeoutMs);
      // The answer to an earlier request does not show that they answer again.
      if (isDown && startedAt > failedAt) {
        isDown = false;
        log.warn('the shared counters answer again');
      }
      return answer;
    } catch (error) {
      failedAt = performance.now();
      askAgainAt = failedAt + RETRY_INTERVAL;
      if (!isDown) {
        const meanwhile = whenDown === 'refuse' ? 'requests are refused' : 'this process counts its own requests';
        log.warn({ err: error }, `the shared counters do not answer; until they do, ${meanwhile}`);
      }
      isDown = true;
      throw error;
    }
  }

  return {
    requests,
    async count(request) {
      const { usage, quota, now, rules } = request;
      const toCount = { ...request, now: usesLocalClock ? now : undefined };
      try {
        const countShared = (one: SharedRequest) => ask(() => shared.count(one));
        const count = leases?.take(toCount) ?? (await (leases?.ask(toCount, countShared) ?? countShared(toCount)));
        requests.answered += 1;
        Object.assign(usage, count.usage);
        return verdictOf(count.usage, quota, count.now, count);
      } catch (error) {
        requests.failed += 1;
        if (whenDown === 'refuse')
          throw new CountersDownError(error, countRequest({ ...usage }, quota, now, undefined));
        return countRequest(usage, quota, now, rules);
      }
    },
    async endBan(caller, usage) {
      const { bannedUntil } = usage;
      forgetBan(usage);
      // If they do not answer, the next request that they count finds the ban again, and the limiter ends it.
      await ask(() => shared.endBan(caller, bannedUntil)).catch(() => {});
    },
  };
}

/** The order in which a usage is sent, stored and returned. */
export const usageFields = [
  'minute',
  'minuteUsed',
  'day',
  'dayUsed',
  'bans',
  'bannedUntil',
  'refusedWindow',
  'firstRefusedAt',
  'refusals',
] as const;

const ruleNames = [
  'graceSeconds',
  'toleratedRefusals',
  'firstSeconds',
  'factor',
  'maximumSeconds',
  'forgetAfterSeconds',
] as const;

const outcomes = ['allowed', 'limited', 'banned'] as const;

/** The numbers of a request, in the order in which Redis and PostgreSQL read them. */
export function argumentsOf({ now, quota, usage, rules }: SharedRequest): (number | undefined)[] {
  const used = usageFields.map((field) => usage[field]);
  return [now, quota.perMinute, quota.perDay, ...used, ...ruleNames.map((name) => rules?.[name])];
}

/**
 * Reads the response of Redis or PostgreSQL: the time, the outcome, whether a ban started, the usage, and what PostgreSQL counted ahead.
 *
 * @throws Error if its format is unexpected, so that a faulty response never becomes a verdict
 */
export function readCount(response: unknown): Count {
  if (!Array.isArray(response) || response.length < 3 + usageFields.length) throw unexpected(response);
  const [now, name, banStarted, ...values] = response;
  const outcome = outcomes.find((candidate) => candidate === String(name));
  if (outcome === undefined) throw unexpected(response);
  const usage = emptyUsage(0);
  for (const [index, field] of usageFields.entries()) usage[field] = integer(values[index]);
  const ahead = integer(values[usageFields.length] ?? 0);
  return { now: integer(now), outcome, banStarted: banStarted === 1, usage, ahead };
}

function integer(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw unexpected(value);
  return value;
}

function unexpected(response: unknown): Error {
  return new Error(`The shared counters returned ${JSON.stringify(response)}.`);
}
