import type { Policy } from '../options.ts';
import { backoff, LONGEST_DELAY } from './retry.ts';

/** The state of the gate for a key. Times are milliseconds of a monotonic clock. */
export type GateState = {
  /** Nothing is sent before this time, except a probe. */
  readonly shutUntil: number;
  /** The reason, as the code of an error. */
  readonly code: string;
  /** How often the gate was shut or opened. The response to a request from an earlier epoch is out of date. */
  readonly epoch: number;
  /** The epoch in which a caller last opened the gate. Refusals of earlier requests are out of date. */
  readonly resumedIn: number;
  /** While the gate is shut for longer than calls may wait, one request may test it at this time. */
  readonly probeAt: number;
  /** The earliest time of the next call: after a refusal, calls are sent one by one. */
  readonly nextAt: number;
  /** Responses with quota headers since the gate was shut: each doubles the pace. Infinity if it was never shut. */
  readonly goodReplies: number;
  /** Refusals in a row. */
  readonly refusals: number;
  /** When the first of the refusals in a row arrived that named the same window, or no window. */
  readonly refusedAt: number;
  /** While the quota is unknown, one request is sent, and others this many milliseconds later if it has not been answered. */
  readonly headStart: number;
  /** The remaining requests of the window according to the latest response; undefined if unknown. */
  readonly remaining: number | undefined;
  /** When the window ends, in Unix milliseconds of the server, which identifies the window. */
  readonly window: number | undefined;
  /** When it ends, by the clock of the client. */
  readonly resetAt: number;
};

export const openGate: GateState = {
  shutUntil: 0,
  code: 'rate_limited',
  epoch: 0,
  resumedIn: 0,
  probeAt: 0,
  nextAt: 0,
  goodReplies: Infinity,
  refusals: 0,
  refusedAt: Infinity,
  headStart: 500,
  remaining: undefined,
  window: undefined,
  resetAt: 0,
};

/**
 * The information about the key in a response. It is plain JSON, so that clients can exchange it. Times are milliseconds
 * from now.
 */
export type Heard = {
  /** 0 if no response arrived, and in news that are not of a response. */
  status: number;
  /** The code of a 429. */
  code?: string | undefined;
  retryAfter?: number | undefined;
  /** The three `X-RateLimit-*` headers; `reset` is in Unix milliseconds of the server. */
  quota?: { limit: number; remaining: number; reset: number } | undefined;
  /** Until the window ends; undefined if the response had no `Date`. */
  resetIn?: number | undefined;
  /** Set if a refusal that was known before is out of date: a later request was accepted, or a caller has resumed the client. */
  resumed?: boolean | undefined;
  /** How many refusals in a row there were, and when one request may test whether they last. */
  refusals?: number | undefined;
  probeIn?: number | undefined;
};

/** A call that waits, and the requests that are in flight. */
export type Waiter = {
  policy: Pick<Policy, 'maxRetryAfter'>;
  /** When the call started, and when it must have ended. */
  start: number;
  end: number;
};
export type InFlight = { count: number; oldest: number };

/**
 * The requests in flight while the quota is unknown, which may all be refused. They start no ban, which takes more than ten refusals.
 */
const UNKNOWN_QUOTA = 6;

/** The head start of a client that knows of the refusals before it was created: its first requests probably succeed. */
export const SHORT_HEAD_START = 50;

/** That of the first request after a refusal: another refusal is more likely, and most responses arrive earlier. */
const LONG_HEAD_START = 5_000;

/** Whether a call would wait for longer than it may. Repeated refusals of the same window are one wait. */
export function waitsTooLong(state: GateState, now: number, { policy, start, end }: Waiter): boolean {
  if (now >= state.shutUntil) return false;
  const until = state.refusals > 1 ? Math.max(state.nextAt, state.shutUntil) : state.shutUntil;
  return until > end || until - Math.min(now, Math.max(start, state.refusedAt)) > policy.maxRetryAfter;
}

/**
 * Until when the next call waits: 0 if it may be sent, Infinity if a request in flight must return first; undefined if it is refused.
 */
export function admit(
  state: GateState,
  { count, oldest }: InFlight,
  now: number,
  waiter: Waiter,
  { maxConcurrent }: Pick<Policy, 'maxConcurrent'>,
): number | undefined {
  // The plan may have been raised during a long refusal, which only a request can find out.
  if (waitsTooLong(state, now, waiter)) return now >= state.probeAt && count === 0 ? 0 : undefined;
  const next = Math.max(state.nextAt, state.shutUntil);
  if (now < next) return next;
  const known = now < state.resetAt ? state.remaining : undefined;
  if (known === undefined) {
    if (count >= Math.min(maxConcurrent, UNKNOWN_QUOTA)) return Infinity;
    const until = count && oldest + state.headStart;
    return until > now ? until : 0;
  }
  // The remaining number may not include the requests in flight. One request must be allowed, because only a response
  // updates it.
  if (count < Math.max(1, Math.min(maxConcurrent, known))) return 0;
  // At the end of the window, its remaining number no longer applies.
  return known < maxConcurrent ? state.resetAt : Infinity;
}

/** The state after a call was sent. */
export function leave(state: GateState, now: number, random: () => number): GateState {
  // Timers have whole milliseconds, so the interval becomes 0 in the end.
  const distance = Math.floor((random() * RELEASE_INTERVAL) / 2 ** state.goodReplies);
  // Each probe may be refused, and more than ten refusals in a day start a ban, so probes become rarer.
  const probeAt = now < state.shutUntil ? now + PROBE_AFTER * 2 ** state.refusals : state.probeAt;
  return { ...state, probeAt, nextAt: distance && now + distance };
}

/** The state after a response to a request that was sent in `epoch`, or after news from another client (-1). */
export function hear(
  before: GateState,
  heard: Heard,
  epoch: number,
  now: number,
  policy: Policy,
  random: () => number,
): GateState {
  const { status, quota, resetIn = quota ? MINUTE : Infinity, resumed: isResumed } = heard;
  const state = isResumed && now < before.shutUntil ? resumed(before) : before;
  if (isResumed && !status) return state;
  const isCurrent = isResumed || epoch === state.epoch;
  if (!status || (status >= 500 && !quota)) {
    // The API may have counted it. A lost response is not a refusal, so that the others need not wait.
    const remaining = state.remaining && state.remaining - 1;
    return { ...state, remaining, headStart: 0 };
  }
  // Sent before a caller opened the gate.
  if (status === 429 && epoch >= 0 && epoch < state.resumedIn) return state;
  const until = shutBy(heard, now);
  // Other clients forward a refusal. It then seems to end later, by the time that their message took to arrive.
  const isLater = until > state.shutUntil + (epoch < 0 ? MOMENT : 0);
  if (until > now && (isCurrent || isLater)) {
    // Requests that were in flight together are refused together, which counts once.
    const isNews = status === 429 && (isCurrent || now >= state.shutUntil);
    const refusals = heard.refusals ?? (isNews ? state.refusals + 1 : state.refusals);
    const isSameWindow = state.window === quota?.reset;
    return {
      ...openGate,
      shutUntil: until,
      code: heard.code ?? openGate.code,
      epoch: state.epoch + 1,
      resumedIn: state.resumedIn,
      probeAt: now + (heard.probeIn ?? PROBE_AFTER * 2 ** Math.max(0, refusals - 1)),
      nextAt: until + backoff(Math.max(1, refusals), policy, random),
      goodReplies: 0,
      headStart: LONG_HEAD_START,
      refusals,
      refusedAt: isSameWindow ? Math.min(state.refusedAt, now) : now,
      window: quota?.reset,
    };
  }
  // The request was sent before the gate was shut, so its response is out of date.
  if (!isCurrent && now < state.shutUntil) {
    const { probeIn = 0, refusals = 0 } = heard;
    // Another client may have sent the test that was due.
    const probeAt = probeIn > 0 ? Math.max(state.probeAt, now + probeIn) : state.probeAt;
    return { ...state, probeAt, refusals: Math.max(state.refusals, refusals) };
  }
  // Responses may arrive out of order, so the lowest number of a window counts.
  const known = state.window === quota?.reset ? (state.remaining ?? Infinity) : Infinity;
  const isGood = status < 429 && quota !== undefined;
  return {
    ...state,
    shutUntil: Math.min(state.shutUntil, now),
    refusals: status === 429 ? state.refusals : 0,
    refusedAt: status === 429 ? state.refusedAt : Infinity,
    goodReplies: isGood ? state.goodReplies + 1 : state.goodReplies,
    headStart: status === 429 ? state.headStart : 0,
    remaining: Math.min(known, quota?.remaining ?? Infinity),
    window: quota?.reset,
    resetAt: now + resetIn,
  };
}

/** The state after a caller has opened the gate: one request is sent, and its response decides. */
export function resumed({ epoch }: GateState): GateState {
  return { ...openGate, epoch: epoch + 1, resumedIn: epoch + 1, goodReplies: 0 };
}

/**
 * The longest that a refusal counts, in milliseconds: the longest wait that the API asks for is until the end of the UTC day. A gateway
 * may ask for months.
 */
export const LONGEST_REFUSAL = 86_400_000;

/** Refusals that arrive together have ends up to this many milliseconds apart. */
export const MOMENT = 1_000;

/** After a refusal, calls are sent at random intervals up to this; each response halves it. */
const RELEASE_INTERVAL = 100;

/** While calls fail because the wait is too long, one request tests the API after this time, then after twice this time, and so on. */
export const PROBE_AFTER = 3_600_000;

/** A minute, and one more second because `Date` has no milliseconds. */
export const MINUTE = 61_000;

/** Until when a response shuts the gate; 0 if it does not. */
export function shutBy({ status, retryAfter, quota, resetIn = Infinity }: Heard, now: number): number {
  // While requests remain, the window is not the reason. A later reset belongs to the day: wait for a refusal to confirm it.
  const near = quota?.remaining === 0 && resetIn <= MINUTE ? now + resetIn : 0;
  if (status !== 429) return near;
  // At least a second, even if the response says less.
  return Math.max(now + Math.max(1_000, Math.min(LONGEST_REFUSAL, retryAfter ?? LONGEST_DELAY)), near);
}
