import type { DeprecationNotice } from './middleware/deprecation.ts';
import type { EventListener } from './sending/events.ts';
import { type Sleep, systemSleep } from './sending/sleep.ts';

/** What is done when nothing else is asked for. Times are milliseconds. */
export const defaults = {
  /** Tries after the first one. */
  maxRetries: 2,
  /** How long one try may take, including the body of the response unless it is read as a stream. */
  timeout: 30_000,
  /** The longest that a call waits at the gate, or because of a `Retry-After`; past that it fails at once. */
  maxRetryAfter: 60_000,
  /** Requests under way at once: no more than the API forgives (`banRules.toleratedRefusals`), so that they cannot ban the key. */
  maxConcurrent: 10,
  /** The first retry comes at a random time up to this, ... */
  firstDelay: 500,
  /** ... each further one at a time up to the double, and none later than this. */
  longestDelay: 8_000,
  /** Once the gate opens again, calls leave it at random distances up to this, and up to the half after each reply. */
  releaseInterval: 100,
} as const;

/** How a client behaves: the numbers of `defaults`, or others. */
export type Policy = { readonly [Name in keyof typeof defaults]: number };

/** What a client takes from its surroundings; tests pass in their own. */
export type Surroundings = {
  /** What sends a request; the global `fetch` when left out. */
  fetch: (request: Request) => Promise<Response>;
  /** The time in Unix milliseconds. */
  clock: () => number;
  /** A number from 0 to below 1, as `Math.random` gives. */
  random: () => number;
  /** Resolves after that many milliseconds; rejects, and lets go of its timer, when the signal aborts. */
  sleep: Sleep;
};

export type AnimalStoreOptions = Partial<Surroundings> &
  Partial<Policy> & {
    /** Your API key. It is sent to `baseUrl` and nowhere else. A test key (`as_test_…`) works on test servers only. */
    apiKey: string;
    /** Where the API is, ending in `/v1`. */
    baseUrl: string;
    /** Hears of each request, response, retry, and of the gate: for logs. No event carries the key. */
    onEvent?: EventListener;
    /** Told once for each deprecated operation that is called; writes to `console.warn` when left out, false says nothing. */
    onDeprecated?: ((notice: DeprecationNotice) => void) | false;
  };

/** The numbers of `defaults`, those that are given instead of them. */
export function policyOf(options: Partial<Policy>): Policy {
  const {
    maxRetries = defaults.maxRetries,
    timeout = defaults.timeout,
    maxRetryAfter = defaults.maxRetryAfter,
    maxConcurrent = defaults.maxConcurrent,
    firstDelay = defaults.firstDelay,
    longestDelay = defaults.longestDelay,
    releaseInterval = defaults.releaseInterval,
  } = options;
  return { maxRetries, timeout, maxRetryAfter, maxConcurrent, firstDelay, longestDelay, releaseInterval };
}

/** The surroundings of this platform, those that are given instead of them. */
export function surroundingsOf(options: Partial<Surroundings>): Surroundings {
  const {
    // Looked up with each request, so that what replaces the global later is used.
    fetch = (request) => globalThis.fetch(request),
    clock = Date.now,
    random = Math.random,
    sleep = systemSleep,
  } = options;
  return { fetch, clock, random, sleep };
}
