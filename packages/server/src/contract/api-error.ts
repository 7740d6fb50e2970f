import { type ErrorBody, type ErrorCode, type ErrorDetail, errorStatus } from '@animal-store/contract';
import { redactSecrets } from '../keys/key-format.ts';

export type ApiErrorOptions = {
  details?: ErrorDetail[] | undefined;
  /** Headers that belong to the response, such as Allow or Retry-After. */
  headers?: Record<string, string> | undefined;
  /** For the log only; it never leaves the server. */
  cause?: unknown;
};

/**
 * An error response with a code of the contract; operations throw or return it.
 * The code determines the status. The message is public and says what to do.
 */
export class ApiError<Code extends ErrorCode = ErrorCode> extends Error {
  override name = 'ApiError';
  readonly code: Code;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: Code, message: string, options: ApiErrorOptions = {}) {
    // Only 5xx errors need a stack trace: capturing one takes longer than the rest of the constructor.
    const { stackTraceLimit } = Error;
    if (errorStatus[code] < 500) Error.stackTraceLimit = 0;
    super(redactSecrets(message), { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }

  get status(): (typeof errorStatus)[Code] {
    return errorStatus[this.code];
  }

  /** The entries of `details` in the contract's `Error`. */
  get body(): ErrorBody {
    const body: ErrorBody = { code: this.code, message: this.message, status: this.status };
    return this.details === undefined ? body : { ...body, details: this.details };
  }

  /** The response body as JSON. `origin` is that of the docs; if it is empty, the link is relative to the URL of the request. */
  jsonAt(origin: string): string {
    const body: ErrorBody = { ...this.body, documentation: `${origin}/docs/errors.html#${this.code}` };
    return JSON.stringify(body);
  }
}

/** Bounds on the details of an error: a hostile body of 64 KiB can have thousands of problems. */
const MAX_DETAILS = 20;
const MAX_TEXT = 200;

function shown(text: string): string {
  return redactSecrets(text).slice(0, MAX_TEXT);
}

/** 400 `invalid_request`, with a message that lists the problems, at most 20 of them. */
export function invalidRequest(problems: ErrorDetail[]): ApiError<'invalid_request'> {
  const details = problems.slice(0, MAX_DETAILS).map(({ where, what }) => ({ where: shown(where), what: shown(what) }));
  const named = details.map(({ where, what }) => `${where} ${what}`).join('; ');
  const more = problems.length > MAX_DETAILS ? `; and ${problems.length - MAX_DETAILS} more` : '';
  return new ApiError('invalid_request', `The request is invalid: ${named}${more}.`, { details });
}
