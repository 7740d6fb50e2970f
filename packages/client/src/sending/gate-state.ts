import type { RateLimit } from '../headers/rate-limit.ts';
import type { Policy } from '../options.ts';
import { backoff } from './retry.ts';

/** What the gate knows. Times are Unix milliseconds. */
export type GateState = {
  /** Nothing is sent before this. */
  readonly shutUntil: number;
  /** Why, in the words of the API. */
  readonly code: string;
  /** The next call leaves no earlier: after a shut gate calls go one by one. */
  readonly nextAt: number;
  /** Replies since the gate was shut that told what remains: each doubles the pace. Infinity where it never was shut. */
  readonly goodReplies: number;
  /** Times in a row that the API has shut the gate. */
  readonly refusals: number;
  /** Requests that have left and not come back. */
  readonly inFlight: number;
  /** Requests that the API still allowed when it was last heard, until `resetAt`; undefined when not heard since. */
  readonly remaining: number | undefined;
  readonly resetAt: number;
};

export const openGate: GateState = {
  shutUntil: 0,
  code: 'rate_limited',
  nextAt: 0,
  goodReplies: Infinity,
  refusals: 0,
  inFlight: 0,
  remaining: undefined,
  resetAt: 0,
};

/** What a reply says to the gate. */
export type Heard = {
  status: number;
  /** The code of a 429. */
  code: string | undefined;
  /** Seconds. */
  retryAfter: number | undefined;
  rateLimit: RateLimit | undefined;
};

/** `until` is left out where a request under way has to come back first. */
export type Admission = { kind: 'go' } | { kind: 'refuse' } | { kind: 'wait'; until?: number };

/** Whether the next call may be sent. */
export function admit(state: GateState, now: number, policy: Policy): Admission {
  // Longer than anybody is made to wait.
  if (state.shutUntil - now > policy.maxRetryAfter) return { kind: 'refuse' };
  if (now < state.nextAt) return { kind: 'wait', until: state.nextAt };
  if (state.inFlight >= allowedInFlight(state, now, policy)) return { kind: 'wait' };
  return { kind: 'go' };
}

/** How many requests may be under way: one at the least, since only a reply brings news. */
function allowedInFlight(state: GateState, now: number, { maxConcurrent }: Policy): number {
  // After a refusal one goes ahead: another client may have used up the new window, too.
  const unknown = state.goodReplies === Infinity ? maxConcurrent : 1;
  // Those under way may not be counted yet in what remains.
  const known = now < state.resetAt ? state.remaining : undefined;
  return Math.max(1, Math.min(maxConcurrent, known ?? unknown));
}

/** The state after a call has left. */
export function leave(state: GateState, now: number, policy: Policy, random: () => number): GateState {
  const longest = policy.releaseInterval / 2 ** state.goodReplies;
  // Whole milliseconds, since clocks and timers have no others: so the distance ends at none.
  const distance = Math.floor(random() * longest);
  // Without one, no time is kept: a clock that is set back must not hold calls.
  return { ...state, inFlight: state.inFlight + 1, nextAt: distance > 0 ? now + distance : openGate.nextAt };
}

/** The state after a call has come back. `heard` is undefined when it brought no reply. */
export function comeBack(
  state: GateState,
  heard: Heard | undefined,
  now: number,
  policy: Policy,
  random: () => number,
): GateState {
  const back = { ...state, inFlight: state.inFlight - 1 };
  // The API may have counted it.
  if (heard === undefined) return { ...back, remaining: less(state.remaining) };
  const until = shutBy(heard, now, policy);
  if (until > Math.max(state.shutUntil, now)) return shut(back, heard, until, now, policy, random);
  // It left before the gate was shut, and knows less.
  if (now < state.shutUntil) return back;
  const refusals = heard.status === 429 ? state.refusals : 0;
  const goodReplies = isGood(heard) ? state.goodReplies + 1 : state.goodReplies;
  return { ...back, refusals, goodReplies, ...budget(state, heard.rateLimit) };
}

/** Whether the API may be sent more: it takes requests, is not in trouble, and we see the end of the quota come. */
function isGood({ status, rateLimit }: Heard): boolean {
  return status !== 429 && status < 500 && rateLimit !== undefined;
}

/** No minute ends later than this. */
const MINUTE = 60_000;

/** Until when a reply shuts the gate; 0 when it does not. */
export function shutBy({ status, retryAfter, rateLimit }: Heard, now: number, policy: Policy): number {
  const reset = rateLimit?.reset.getTime() ?? 0;
  // Further away it is the day's, or our clock is slow: a refusal tells which, since Retry-After needs no clock.
  const near = reset - now <= MINUTE ? reset : 0;
  if (status !== 429) return rateLimit?.remaining === 0 ? near : 0;
  // A second at the least, whoever says less.
  if (retryAfter !== undefined) return Math.max(now + Math.max(1, retryAfter) * 1_000, near);
  // Nobody said for how long: as long as we ever wait by ourselves.
  return Math.max(reset, now + policy.longestDelay);
}

function shut(
  state: GateState,
  heard: Heard,
  until: number,
  now: number,
  policy: Policy,
  random: () => number,
): GateState {
  // What was under way at a refusal is refused with it, and counts as the same one.
  const isNews = heard.status === 429 && now >= state.shutUntil;
  const refusals = isNews ? state.refusals + 1 : state.refusals;
  return {
    ...state,
    shutUntil: until,
    code: heard.code ?? openGate.code,
    nextAt: until + backoff(Math.max(1, refusals), policy, random),
    goodReplies: 0,
    refusals,
    remaining: undefined,
  };
}

/** What is left after a reply. Of replies about one window the lowest number counts, since they overtake each other. */
function budget(state: GateState, heard: RateLimit | undefined): Pick<GateState, 'remaining' | 'resetAt'> {
  if (heard === undefined) return { remaining: Infinity, resetAt: Infinity };
  const resetAt = heard.reset.getTime();
  const known = state.resetAt === resetAt ? (state.remaining ?? Infinity) : Infinity;
  return { remaining: Math.min(known, heard.remaining), resetAt };
}

function less(remaining: number | undefined): number | undefined {
  return remaining === undefined ? undefined : Math.max(0, remaining - 1);
}
