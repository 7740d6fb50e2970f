import type { BanRules } from '../common/contract.ts';
import { TimeoutError } from '../common/time.ts';
import { type Decision, emptyUsage, type Quota, type Usage, type Verdict } from './count-request.ts';

/** A request to be counted, in this process or in shared counters. */
export type RequestToCount = {
  /** `key:` or `address:`, and the ID of the key or the address. */
  callerId: string;
  /** The caller's usage as far as this process knows it; the counting updates it. */
  usage: Usage;
  quota: Quota;
  /** Unix milliseconds by the clock of this process. */
  now: number;
  /** Undefined for callers that are never banned. */
  rules: BanRules | undefined;
};

/** Counts requests, in this process or in shared counters. */
export interface CountingStrategy {
  /** Whether other processes count the same callers, so that this process knows only part of their usage. */
  readonly isShared: boolean;
  /** Counts one request. Does not reject if shared counters are unavailable. */
  count(request: RequestToCount): Promise<Verdict>;
  /** Ends the ban of a caller. */
  endBan(callerId: string, usage: Usage): Promise<void>;
  /** Gives requests back that were counted in advance and did not come in time; all of them if no more will come. */
  giveBack?(now: number, isLast: boolean): Promise<void>;
}

/** One request to count in the counters that all processes share. */
export type Call = Quota & {
  /** Unix milliseconds; if left out, the counters use their own clock. */
  now?: number | undefined;
  /** When requests after a 429 lead to a ban; left out for callers that are never banned. */
  rules?: BanRules | undefined;
  /** The caller's usage as far as this process knows it. */
  localUsage: Usage;
  /**
   * The part of `localUsage` that the shared counters must have, unless they lost it. Less than all, if other processes may have given
   * requests back since that they had counted in advance. Default: all.
   */
  certain?: Pick<Usage, 'minuteUsed' | 'dayUsed'>;
  /**
   * The part of `localUsage`, in its windows, that the shared counters have not seen. Negative if they have counted more in advance than
   * came.
   */
  unsynced: { minute: number; day: number };
};

/** The result of counting a request. */
export type Count = Decision & {
  /** Unix milliseconds by the clock that decided. */
  now: number;
  /** The caller's usage, this request included. */
  usage: Usage;
};

/** Counters did not answer in time, but may still count the request. */
export class LateCountError extends TimeoutError {
  override name = 'LateCountError';
  /** Rejects if the request was not counted, or if no process can know, because the connection was given up. */
  readonly late: Promise<Count>;

  constructor(late: Promise<Count>) {
    super('The counters have not answered yet.');
    this.late = late;
    // A caller that does not wait for the answer does not need to know that it failed.
    late.catch(() => {});
  }
}

/** Counters that all processes share. */
export interface Counters {
  /**
   * Counts one request of a caller, in one round trip. Rejects if that is not possible, with a LateCountError if it may still happen. The
   * requests of a caller are answered in the order in which they were sent, except that later ones may overtake a late one.
   */
  count(callerId: string, call: Call): Promise<Count>;
  /** Deletes the ban of a caller, unless it ends after `bannedUntil`. */
  endBan(callerId: string, bannedUntil: number): Promise<void>;
}

/** Shared counters behind a network connection. */
export interface RemoteCounters extends Counters {
  /** As the log names them. */
  readonly name: string;
  /** Why there is no connection; undefined if there is one, or if the reason is unknown. */
  lastError(): unknown;
  /** Registers a listener that is called each time the counters turn out to be unreachable. */
  onAway(listener: (error: unknown) => void): void;
  close(): void;
}

/** The order in which a usage is sent, stored and returned. */
const usageFields = [
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

/** The numbers of a call, in the order in which Redis and PostgreSQL read them. */
export function argumentsOf(call: Call): (number | undefined)[] {
  const { now, perMinute, perDay, localUsage, unsynced, rules } = call;
  const usage = usageFields.map((field) => localUsage[field]);
  const values = [now, perMinute, perDay, ...usage, unsynced.minute, unsynced.day];
  return [...values, ...ruleNames.map((name) => rules?.[name])];
}

/**
 * Reads the response of Redis or PostgreSQL.
 *
 * @throws Error if its format is unexpected, so that a faulty response never becomes a verdict
 */
export function readCount(response: unknown): Count {
  if (!Array.isArray(response) || response.length !== 3 + usageFields.length) throw unexpected(response);
  const [now, name, banStarted, ...values] = response;
  const outcome = outcomes.find((candidate) => candidate === String(name));
  if (outcome === undefined) throw unexpected(response);
  const usage = emptyUsage(0);
  for (const [index, field] of usageFields.entries()) usage[field] = integer(values[index]);
  return { now: integer(now), outcome, banStarted: banStarted === 1, usage };
}

function integer(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw unexpected(value);
  return value;
}

function unexpected(response: unknown): Error {
  return new Error(`The shared counters returned ${JSON.stringify(response)}.`);
}
