import type { DeprecationNotice } from './deprecation.ts';
import type { ResponseValidator } from './read.ts';
import type { EventListener, Logger } from './sending/events.ts';
import type { SharedGate } from './sending/shared-gate.ts';
import { type Sleep, systemSleep } from './sending/time.ts';

/** The default policy. Times are milliseconds. */
export const defaults = {
  /** Attempts after the first one that failed. Waiting for a 429 is not a failure. */
  maxRetries: 2,
  /** How long one attempt may take, including the body of the response unless it is read as a stream. */
  timeout: 30_000,
  /** How long a call may take in all, with its waits and retries. Long enough for 1,000 requests that are called at once. */
  deadline: 1_200_000,
  /**
   * The longest wait for new quota, or for a `Retry-After` and those that follow it; a call that would wait longer fails at once. Longer
   * than a minute, after which most quotas are new.
   */
  maxRetryAfter: 90_000,
  /** Requests in flight at once. */
  maxConcurrent: 10,
  /** The longest time before the first retry. It doubles with each further one, up to 8 seconds, and at least half of it is waited. */
  firstDelay: 500,
  /** The largest body of a response, in bytes. Does not apply to streams. */
  maxResponseBytes: 10_000_000,
} as const;

/** The settings of a client. */
export type Policy = { readonly [Name in keyof typeof defaults]: number };

/** The numbers that a single call may replace, and its key. */
export type CallPolicy = { [Name in 'timeout' | 'deadline' | 'maxRetries' | 'maxRetryAfter']?: number | undefined } & {
  idempotencyKey?: string | undefined;
};

/** The parts of the environment that a client uses. */
export type Environment = {
  fetch: (request: Request) => Promise<Response>;
  /** Milliseconds of a monotonic clock. */
  clock: () => number;
  /** A number from 0 to below 1. */
  random: () => number;
  /** Resolves after that many milliseconds; rejects and releases its timer when the signal aborts. */
  sleep: Sleep;
};

/** What each new client takes from its platform. Only tests replace parts of it. */
export const platform: Omit<Environment, 'fetch'> = {
  // `Date.now` jumps when the clock is set.
  clock: () => performance.now(),
  random: Math.random,
  sleep: systemSleep,
};

export type MaybePromise<Value> = Value | Promise<Value>;

/** An API key, or a function that returns the current one. */
export type ApiKey = string | (() => string | Promise<string>);

export type ClientOptions = Partial<Policy> & {
  /**
   * Your API key, or a function that returns it. The client calls the function again after a 401. Sent only to `baseUrl`. Null if no
   * operation of the API needs a key.
   */
  apiKey: ApiKey | null;
  /** The URL of the API. */
  baseUrl: string;
  /**
   * Shares the state of the quota with other clients of the key. Default: with the tabs of the same origin if
   * `apiKey` is a string; false shares nothing.
   */
  gate?: SharedGate | false;
  /**
   * Checks each JSON response. Default: against the contract if `NODE_ENV` is `development` or `test`, and not at all otherwise. False
   * never checks.
   */
  validate?: ResponseValidator | false | undefined;
  /** Receives each request, response, retry, change of the gate, and end of a call. */
  onEvent?: EventListener;
  /** Called once for each deprecated operation that is called. Default: a warning of the logger; false does nothing. */
  onDeprecated?: ((notice: DeprecationNotice) => void) | false;
  /** Where to log, by level. Default: only warnings, to the console. `console` logs everything. */
  logger?: Logger;
  /** Sends a request. Default: the global `fetch`. */
  fetch?: Environment['fetch'];
};

const own = ['apiKey', 'baseUrl', 'fetch', 'gate', 'validate', 'onEvent', 'onDeprecated', 'logger'];

/** An option of a client that cannot work. */
export class OptionError extends TypeError {}

/** @throws OptionError that says what callers in JavaScript do wrong most often */
export function checkOptions(given: ClientOptions): void {
  const names = [...own, ...Object.keys(defaults)];
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new OptionError(
      `\`${unknown}\` is not an option of a client. Use ${names.map((name) => `\`${name}\``).join(', ')}.`,
    );
  }
  if (given.apiKey === undefined) {
    throw new OptionError('`apiKey` is undefined. Pass your API key, and check that the variable with the key is set.');
  }
}

function fail(option: string, expected: string): never {
  throw new TypeError(`\`${option}\` must be ${expected}.`);
}

/**
 * A policy with some of its numbers replaced.
 *
 * @throws TypeError if one is not a finite number from 0, `maxRetries` not whole, or `maxConcurrent` not a whole number from 1
 */
export function policyOf<Base extends Policy>(
  base: Base,
  options: { [Name in keyof Policy]?: number | undefined },
): Base {
  const given = Object.entries({ ...base, ...options }).filter(
    ([name, value]) => name in defaults && value !== undefined,
  );
  for (const [name, value] of given) {
    // Counts are whole numbers. With 0 requests in flight, no call would ever be sent.
    const isCount = name === 'maxRetries' || name === 'maxConcurrent';
    const least = name === 'maxConcurrent' ? 1 : 0;
    const isValid = isCount ? Number.isInteger : Number.isFinite;
    if (!isValid(value) || Number(value) < least) fail(name, `a ${isCount ? 'whole' : 'finite'} number from ${least}`);
  }
  return { ...base, ...Object.fromEntries(given) };
}

/** @throws TypeError if a key cannot be sent in a header. The message does not contain it. */
export function checkedKey(key: unknown): string {
  return typeof key === 'string' && /^[!-~]+$/.test(key) ? key : fail('apiKey', 'a key in one line or a function');
}

/** @throws TypeError if it is not the URL of an API */
export function checkedBaseUrl(baseUrl: unknown): string {
  // A path is enough in a page that the API's host serves. A server that renders this page also creates the client, but cannot call it.
  const page = globalThis.location?.href;
  if (!page && /^\//.test(String(baseUrl))) return String(baseUrl);
  if (typeof baseUrl !== 'string' || !/^(https?:\/)?\//i.test(baseUrl) || !URL.canParse(baseUrl, page)) {
    return fail('baseUrl', `a URL with https://, not ${baseUrl}`);
  }
  return new URL(baseUrl, page).href.replace(/\/$/, '');
}

/** @throws TypeError if a path parameter has no value, or a number that is rounded: the URL would be that of another resource */
export function checkPath(path: string, values?: Readonly<Record<string, unknown>>): void {
  for (const [, name = ''] of path.matchAll(/{(.+?)}/g)) {
    const value = values?.[name];
    const isExact = typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER;
    // URLs leave out `.` and `..`.
    if (isExact && !/^\.{0,2}$/.test(`${value ?? ''}`)) continue;
    fail(name, `a value for the path ${path}, not ${typeof value === 'string' ? JSON.stringify(value) : value}`);
  }
}
