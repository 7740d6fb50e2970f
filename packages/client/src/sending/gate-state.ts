import type { Policy } from '../options.ts';
import { backoff } from './retry.ts';

/** What the gate knows about the key. Times are milliseconds of a clock that only moves forward. */
export type GateState = {
  /** Nothing is sent before this time, except a probe. */
  readonly shutUntil: number;
  /** The reason, as the code of an error. */
  readonly code: string;
  /** Counts how often the gate was shut or opened: a request that left earlier brings old news. */
  readonly epoch: number;
  /** While the gate is shut for longer than calls may wait, one request may test it at this time. */
  readonly probeAt: number;
  /** The next call leaves no earlier: after a refusal, calls leave one by one. */
  readonly nextAt: number;
  /** Responses since the gate was shut that announced the quota: each doubles the pace. Infinity if it was never shut. */
  readonly goodReplies: number;
  /** Refusals in a row. */
  readonly refusals: number;
  /** How many requests may be in flight while the quota is not known. */
  readonly blind: number;
  /** Requests that the API still allowed in the window, as last heard; undefined if not known. */
  readonly remaining: number | undefined;
  /** When the window ends, in Unix milliseconds of the server: its name. */
  readonly window: number | undefined;
  /** When it ends by our clock. */
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

/** What a response says about the key. It is plain JSON, so that clients can tell each other. Times are milliseconds from now. */
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
  // The plan may have been raised since a long refusal: only a request can tell.
  if (state.shutUntil - now > maxRetryAfter) return now >= state.probeAt && inFlight === 0 ? 0 : undefined;
  if (now < state.nextAt) return state.nextAt;
  const known = now < state.resetAt ? state.remaining : undefined;
  // Requests in flight may not be counted yet in what remains. One must be allowed, because only a response brings news.
  return inFlight < Math.max(1, Math.min(maxConcurrent, known ?? state.blind)) ? 0 : Infinity;
}

/** The state after a call has left. */
export function leave(state: GateState, now: number, policy: Policy, random: () => number): GateState {
  // Whole milliseconds, because timers have no others: so the distance becomes 0 in the end.
  const distance = Math.floor((random() * policy.releaseInterval) / 2 ** state.goodReplies);
  // Each probe may be refused, and more than ten refusals in a day start a ban: so probes become rarer.
  const probeAt = now < state.shutUntil ? now + policy.probeAfter * 2 ** state.refusals : state.probeAt;
  return { ...state, probeAt, nextAt: distance && now + distance };
}

/**
 * The state after news: of a request that left in `epoch`, or of another client (-1). `heard` is undefined if no response arrived.
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
    // The API may have counted it. Silence is not a refusal, so two may be in flight then, four, ...
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
  // It left before the gate was shut and knows less.
  if (!isCurrent && now < state.shutUntil) return state;
  // Responses overtake each other, so the lowest number of a window counts.
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

/** The state after a caller has opened the gate: one request leaves, and its response decides. */
export function resumed({ epoch }: GateState): GateState {
  return { ...openGate, epoch: epoch + 1, goodReplies: 0 };
}

/** No minute lasts longer. The second more is because `Date` has no milliseconds. */
const MINUTE = 61_000;

/** Until when a response shuts the gate; 0 if it does not. */
export function shutBy({ status, retryAfter, quota, resetIn = Infinity }: Heard, now: number, policy: Policy): number {
  // A later reset is that of the day. A refusal will tell.
  const near = resetIn <= MINUTE ? now + resetIn : 0;
  if (status !== 429) return quota?.remaining === 0 ? near : 0;
  // At least a second, even if the response says less.
  return Math.max(now + Math.max(1_000, retryAfter ?? policy.longestDelay), near);
}
