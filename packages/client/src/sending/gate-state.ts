import type { Policy } from '../options.ts';
import { backoff } from './retry.ts';

/** The state of the gate for a key. Times are milliseconds of a monotonic clock. */
export type GateState = {
  /** Nothing is sent before this time, except a probe. */
  readonly shutUntil: number;
  /** The reason, as the code of an error. */
  readonly code: string;
  /** How often the gate was shut or opened. The response to a request from an earlier epoch is out of date. */
  readonly epoch: number;
  /** While the gate is shut for longer than calls may wait, one request may test it at this time. */
  readonly probeAt: number;
  /** The earliest time of the next call: after a refusal, calls are sent one by one. */
  readonly nextAt: number;
  /** Responses with quota headers since the gate was shut: each doubles the pace. Infinity if it was never shut. */
  readonly goodReplies: number;
  /** Refusals in a row. */
  readonly refusals: number;
  /** How many requests may be in flight while the quota is unknown. */
  readonly blind: number;
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
  probeAt: 0,
  nextAt: 0,
  goodReplies: Infinity,
  refusals: 0,
  blind: 1,
  remaining: undefined,
  window: undefined,
  resetAt: 0,
};

/**
 * The information about the key in a response. It is plain JSON, so that clients can exchange it. Times are milliseconds
 * from now.
 */
export type Heard = {
  status: number;
  /** The code of a 429. */
  code?: string | undefined;
  retryAfter?: number | undefined;
  /** The three `X-RateLimit-*` headers; `reset` is in Unix milliseconds of the server. */
  quota?: { limit: number; remaining: number; reset: number } | undefined;
  /** Until the window ends; undefined if the response had no `Date`. */
  resetIn?: number | undefined;
};

/** Until when the next call waits: 0 if it may be sent, Infinity if a request in flight must return first; undefined if it is refused. */
export function admit(
  state: GateState,
  inFlight: number,
  now: number,
  { maxRetryAfter, maxConcurrent }: Pick<Policy, 'maxRetryAfter' | 'maxConcurrent'>,
): number | undefined {
  // The plan may have been raised during a long refusal, which only a request can find out.
  if (state.shutUntil - now > maxRetryAfter) return now >= state.probeAt && inFlight === 0 ? 0 : undefined;
  if (now < state.nextAt) return state.nextAt;
  const known = now < state.resetAt ? state.remaining : undefined;
  // The remaining number may not include the requests in flight. One request must be allowed, because only a response
  // updates it.
  return inFlight < Math.max(1, Math.min(maxConcurrent, known ?? state.blind)) ? 0 : Infinity;
}

/** The state after a call was sent. */
export function leave(state: GateState, now: number, policy: Policy, random: () => number): GateState {
  // Timers have whole milliseconds, so the interval becomes 0 in the end.
  const distance = Math.floor((random() * policy.releaseInterval) / 2 ** state.goodReplies);
  // Each probe may be refused, and more than ten refusals in a day start a ban, so probes become rarer.
  const probeAt = now < state.shutUntil ? now + policy.probeAfter * 2 ** state.refusals : state.probeAt;
  return { ...state, probeAt, nextAt: distance && now + distance };
}

/**
 * The state after a response to a request that was sent in `epoch`, or after news from another client (-1). `heard` is
 * undefined if no response arrived.
 */
export function hear(
  state: GateState,
  heard: Heard | undefined,
  epoch: number,
  now: number,
  policy: Policy,
  random: () => number,
): GateState {
  const { status, quota, resetIn = MINUTE } = heard ?? { status: 0 };
  const isCurrent = epoch === state.epoch;
  if (heard === undefined || (status >= 500 && quota === undefined)) {
    // The API may have counted it. A lost response is not a refusal, so two requests may be in flight then, four, ...
    const remaining = state.remaining && state.remaining - 1;
    return { ...state, remaining, blind: state.blind * 2 };
  }
  const until = shutBy(heard, now, policy);
  if (until > now && (isCurrent || until > state.shutUntil)) {
    // Requests that were in flight together are refused together, which counts once.
    const isNews = status === 429 && (isCurrent || now >= state.shutUntil);
    const refusals = isNews ? state.refusals + 1 : state.refusals;
    return {
      ...openGate,
      shutUntil: until,
      code: heard.code ?? openGate.code,
      epoch: state.epoch + 1,
      probeAt: now + policy.probeAfter * 2 ** Math.max(0, refusals - 1),
      nextAt: until + backoff(Math.max(1, refusals), policy, random),
      goodReplies: 0,
      refusals,
    };
  }
  // The request was sent before the gate was shut, so its response is out of date.
  if (!isCurrent && now < state.shutUntil) return state;
  // Responses may arrive out of order, so the lowest number of a window counts.
  const known = state.window === quota?.reset ? (state.remaining ?? Infinity) : Infinity;
  const isGood = status < 429 && quota !== undefined;
  return {
    ...state,
    shutUntil: Math.min(state.shutUntil, now),
    refusals: status === 429 ? state.refusals : 0,
    goodReplies: isGood ? state.goodReplies + 1 : state.goodReplies,
    blind: 1,
    remaining: Math.min(known, quota?.remaining ?? Infinity),
    window: quota?.reset,
    resetAt: quota ? now + resetIn : Infinity,
  };
}

/** The state after a caller has opened the gate: one request is sent, and its response decides. */
export function resumed({ epoch }: GateState): GateState {
  return { ...openGate, epoch: epoch + 1, goodReplies: 0 };
}

/** A minute, and one more second because `Date` has no milliseconds. */
const MINUTE = 61_000;

/** Until when a response shuts the gate; 0 if it does not. */
export function shutBy({ status, retryAfter, quota, resetIn = Infinity }: Heard, now: number, policy: Policy): number {
  // A later reset belongs to the day. Wait for a refusal to confirm it.
  const near = resetIn <= MINUTE ? now + resetIn : 0;
  if (status !== 429) return quota?.remaining === 0 ? near : 0;
  // At least a second, even if the response says less.
  return Math.max(now + Math.max(1_000, retryAfter ?? policy.longestDelay), near);
}
