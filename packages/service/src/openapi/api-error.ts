import type { Contract, ErrorDetail } from '../common/facts.ts';
import { redactSecrets } from '../keys/key-format.ts';
import { concurrency } from '../rate-limit/concurrency.ts';
import type { Verdict } from '../rate-limit/count-request.ts';

export type ApiErrorOptions = {
  details?: ErrorDetail[] | undefined;
  /** Headers that belong to the response, such as Allow or Retry-After. */
  headers?: Record<string, string> | undefined;
  /** For the log only; it never leaves the server. */
  cause?: unknown;
};

const failures: ReadonlySet<string> = new Set(['internal_error', 'service_unavailable']);

/** An error response with a code of the contract, which determines the status. Its message is public. */
export class ApiError<Code extends string = string> extends Error {
  override name = 'ApiError';
  readonly code: Code;
  /** The contract has the status of the code: see `statusOf`. In types, this tells errors from other results. */
  declare readonly status?: never;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: Code, message: string, options: ApiErrorOptions = {}) {
    // Only failures need a stack trace: capturing one takes ten times as long as the rest of the constructor (decision 8).
    const { stackTraceLimit } = Error;
    if (!failures.has(code)) Error.stackTraceLimit = 0;
    super(redactSecrets(message), { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }
}

export function statusOf({ code }: ApiError, { errorStatus }: Pick<Contract, 'errorStatus'>): number {
  return errorStatus[code] ?? 500;
}

/** Bounds on the details of an error: a hostile body of 64 KiB can have thousands of problems. */
const MAX_DETAILS = 20;
const MAX_TEXT = 200;

function shown(text: string): string {
  // Removes the first half of a surrogate pair if the cut has left one.
  return redactSecrets(text)
    .slice(0, MAX_TEXT)
    .replace(/\p{Cs}$/u, '');
}

/** 400 `invalid_request`, with a message that lists the problems, at most 20 of them. */
export function invalidRequest(problems: ErrorDetail[]): ApiError<'invalid_request'> {
  const details = problems.slice(0, MAX_DETAILS).map(({ where, what }) => ({ where: shown(where), what: shown(what) }));
  const named = details.map(({ where, what }) => `${where} ${what}`).join('; ');
  const more = problems.length > MAX_DETAILS ? `; and ${problems.length - MAX_DETAILS} more` : '';
  return new ApiError('invalid_request', `The request is invalid: ${named}${more}.`, { details });
}

export function tooManyRequests({ outcome, window, limit, retryAfter }: Verdict): ApiError {
  const headers = { 'Retry-After': String(retryAfter) };
  if (outcome === 'banned') {
    const message = `This API key is banned for another ${seconds(retryAfter)} because it kept sending requests after a 429. Wait for Retry-After, now and after every 429.`;
    return new ApiError('key_banned', message, { headers });
  }
  const message = `You have reached the limit of ${limit} requests per ${window}. Wait ${seconds(retryAfter)}, then retry with exponential backoff.`;
  return new ApiError('rate_limited', message, { headers });
}

function seconds(count: number): string {
  return count === 1 ? '1 second' : `${count} seconds`;
}

/** Too many operations run: the request is refused before it waits for the storage, and nothing has failed. */
export class OverloadError extends ApiError<'service_unavailable'> {
  override name = 'OverloadError';
  constructor(what: string) {
    super('service_unavailable', `${what} Nothing was changed. Try again in 2 seconds.`, {
      headers: { 'Retry-After': '2' },
    });
  }
}

export function overloaded(by: 'key' | 'process'): OverloadError {
  return by === 'key'
    ? new OverloadError(`You already have ${concurrency.perKey} requests in progress, which is the maximum.`)
    : new OverloadError('The service is overloaded.');
}
