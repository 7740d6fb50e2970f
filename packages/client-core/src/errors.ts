import type { RateLimit } from './headers.ts';

/** The property by which guards recognise errors, in all copies of this module: ESM, CommonJS and other versions. */
type Kinds<Kind extends 'api' | 'rate-limit' | 'network' | 'timeout' | 'abort'> = readonly Kind[];

/** A problem in a request. */
export type ErrorDetail = { where: string; what: string };

/** The state of a call when it failed. Every error of a call has these properties. */
export type CallFacts = {
  /** The method and path of the operation in the contract: `POST /notes`. Undefined if no client has made the error. */
  operation: string | undefined;
  /** The key that all attempts of the call have sent. To retry a creation safely, send it again with this key. */
  idempotencyKey: string | undefined;
  /** How many times the request was sent. 0 if the client refused it, for example because the key is banned. */
  attempts: number;
  /** Whether the request may have reached the API. In browsers also true if the connection was refused, because they do not report it. */
  sent: boolean;
};

/**
 * The `error` of a call. If the response did not come from the API or is unusable (a gateway's page, a redirect, broken
 * JSON, too many bytes), `code` is `unexpected_response`.
 */
export type CallError<
  Code extends string = string,
  Detail = ErrorDetail,
  Status extends number = number,
  Data = unknown,
> = CallFacts & {
  code: Code;
  message: string;
  /** The HTTP status. 0 if a browser hides it, as for a redirect. */
  status: Status;
  /** One entry per problem of the request. */
  details?: Detail[];
  /** The URL of the docs about this code: its cause, and what to do. */
  documentation?: string;
  /** Quote it if you ask for help. */
  requestId: string | undefined;
  /** The body, if the contract documents it for the status in a form other than this one. */
  data?: Data | undefined;
  /** If the code is `unexpected_response`: the first 1,000 characters of what came instead. Not enumerable. */
  body?: string | undefined;
};

/**
 * The codes that the contract does not have: `unexpected_response`, and those that a newer server may send. At runtime, such a code has
 * no prefix. Its type has one, so that TypeScript refuses to compare an error with a misspelled code or one of another operation.
 */
export type OtherErrorCode = 'unexpected_response' | `undocumented: ${string}`;

/**
 * The `error` of an operation with these codes by status. To handle all of them, switch over `code`; the rest is an `OtherErrorCode`.
 *
 * @typeParam Forms the errors with bodies in forms of the contract, by status, range (`4XX`) or `default`: the status tells the `data`
 */
export type ErrorOf<Codes, Forms = Record<never, never>> =
  | { [Status in keyof Codes]: Documented<Codes[Status], Status, DataOf<Forms[Status & keyof Forms]>> }[keyof Codes]
  | {
      [Row in keyof Forms]: Documented<CodeIn<DataOf<Forms[Row]>>, StatusIn<Row, keyof Forms>, DataOf<Forms[Row]>>;
    }[keyof Forms]
  | CallError<OtherErrorCode, ErrorDetail, HttpStatus, undefined>;

/** One type for each code. */
type Documented<Code, Status, Data> = Code extends string ? CallError<Code, ErrorDetail, Status & number, Data> : never;

type DataOf<Response> = Response extends { content: infer Content }
  ? Content[keyof Content & (`${string}json` | `text/${string}`)]
  : undefined;

/** The code of an error is that of its body. */
type CodeIn<Data> =
  | 'documented_error'
  | Exclude<OtherErrorCode, 'unexpected_response'>
  | (Data extends { code?: infer Code } ? (Code extends string ? (string extends Code ? never : Code) : never) : never);

/** A range is all of its statuses that have no row of their own. */
type StatusIn<Row, Rows> = Row extends number
  ? Row
  : Exclude<In<Row extends `${infer First}XX` ? First : '4' | '5'>, Rows>;
type In<First extends string> = {
  [Status in HttpStatus]: `${Status}` extends `${First}${string}` ? Status : never;
}[HttpStatus];

/** The API refused the request, or its response cannot be used (`unexpected_response`). */
export class ApiError<
    Code extends string = string,
    Detail = ErrorDetail,
    Status extends number = number,
    Data = unknown,
  >
  extends Error
  implements CallFacts
{
  override readonly name: string = 'ApiError';
  declare readonly code: Code;
  /** The HTTP status. */
  declare readonly status: Status;
  /** One entry per problem of the request; often empty. */
  declare readonly details: readonly Detail[];
  /** The URL of the docs about this code: its cause, and what to do. */
  declare readonly documentation: string | undefined;
  /** Quote it if you ask for help. Undefined if the request was not sent. */
  declare readonly requestId: string | undefined;
  declare readonly rateLimit: RateLimit | undefined;
  declare readonly operation: string | undefined;
  declare readonly idempotencyKey: string | undefined;
  /** Those of the response. Like `body`, not enumerable, so that logs stay short. Undefined if the request was not sent. */
  declare readonly headers: Headers | undefined;
  /** The body, if the contract documents it for the status in a form other than this one. */
  declare readonly data: Data | undefined;
  /** If the code is `unexpected_response`: the first 1,000 characters of what came instead. */
  declare readonly body: string | undefined;
  readonly attempts: number = 1;
  readonly sent: boolean = true;

  constructor(parts: ApiErrorParts<Code, Detail>) {
    super(parts.message);
    Object.assign(this, parts);
  }

  get contractFirst(): Kinds<'api' | 'rate-limit'> {
    return ['api'];
  }

  /** With the message, which `JSON.stringify` leaves out of other errors. */
  toJSON(): object {
    return { ...this, message: this.message };
  }
}

type Given = 'code' | 'message' | 'status' | 'details' | 'requestId' | 'rateLimit';

export type ApiErrorParts<Code extends string = string, Detail = ErrorDetail> = Partial<CallFacts> &
  Pick<ApiError<Code, Detail>, Given> & { documentation?: string | undefined };

/** Which limit was reached: that of the minute or of the day. `ban`: the key is banned. */
export type RateLimitScope = 'minute' | 'day' | 'ban';

/** The API refuses requests for now. If the client already knows that, it does not send the request. */
export class RateLimitError<
  Code extends string = string,
  Detail = ErrorDetail,
  Status extends number = number,
  Data = unknown,
> extends ApiError<Code, Detail, Status, Data> {
  override readonly name = 'RateLimitError';
  readonly scope: RateLimitScope;
  /** When requests are allowed again, by the clock of the server. */
  readonly resetAt: Date;
  /** Milliseconds until then, counted from the refusal. */
  readonly retryAfter: number;

  constructor(parts: RateLimitErrorParts<Code, Detail>) {
    super(parts);
    ({ scope: this.scope, resetAt: this.resetAt, retryAfter: this.retryAfter } = parts);
  }

  override get contractFirst(): Kinds<'api' | 'rate-limit'> {
    return ['api', 'rate-limit'];
  }
}

export type RateLimitErrorParts<Code extends string = string, Detail = ErrorDetail> = ApiErrorParts<Code, Detail> &
  Pick<RateLimitError, 'scope' | 'resetAt' | 'retryAfter'>;

/** The `error` of an operation as an exception. */
export type Thrown<Failure> =
  Failure extends CallError<infer Code, infer Detail, infer Status, infer Data>
    ?
        | ([Status] extends [429] ? never : ApiError<Code, Detail, Exclude<Status, 429>, Data>)
        | (429 extends Status ? RateLimitError<Code, Detail, 429, Data> : never)
    : never;

/**
 * What a guard takes: a caught exception, usually `unknown`. The `error` of a result is not one, so the guard would be false for it, and
 * TypeScript reports the text.
 */
export type Caught<Given, Wanted> = [Extract<Exclude<Given, Error>, { code: string; message: string }>] extends [never]
  ? Given | Wanted
  : Wanted | 'The error of a result is not an exception. To get one, catch what `unwrap(result)` throws.';

/** A call that ended without a response. */
export class NoResponseError extends Error implements CallFacts {
  declare readonly operation: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly attempts: number = 0;
  readonly sent: boolean = false;

  toJSON(): object {
    return { ...this, message: this.message };
  }
}

/** No response arrived, or only a part of one; `cause` is the reason. The API may have processed the request if `sent` is true. */
export class NetworkError extends NoResponseError {
  override readonly name: string = 'NetworkError';
  get contractFirst(): Kinds<'network' | 'timeout'> {
    return ['network'];
  }
}

/** No response arrived within `timeout`, or before the caller's `AbortSignal.timeout()`. Also a NetworkError. */
export class TimeoutError extends NetworkError {
  override readonly name = 'TimeoutError';
  override get contractFirst(): Kinds<'network' | 'timeout'> {
    return ['network', 'timeout'];
  }
}

/** The `signal` of the call was aborted; `cause` is its reason. */
export class AbortError extends NoResponseError {
  override readonly name = 'AbortError';
  get contractFirst(): Kinds<'abort'> {
    return ['abort'];
  }
}

/**
 * Whether a value is an error of this kind.
 *
 * @param earlierName the property with the kinds, in errors of earlier versions
 * @param operation the only operation whose errors count: `POST /notes`
 */
export function isKind(error: unknown, kind: string, earlierName: string, operation?: string): boolean {
  const given: Record<string, unknown> = Object(error);
  const { contractFirst, operation: own, [earlierName]: kinds = contractFirst } = given;
  return Array.isArray(kinds) && kinds.includes(kind) && (operation ?? own) === own;
}

/** The status of any response, as RFC 9110, others and gateways define them. 0 if a browser hides it, as for a redirect. */
export type HttpStatus =
  | (0 | 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226 | 300 | 301 | 302 | 303 | 304 | 305 | 307 | 308)
  | (400 | 401 | 402 | 403 | 404 | 405 | 406 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417 | 418)
  | (421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 444 | 451)
  | (460 | 463 | 464 | 494 | 495 | 496 | 497 | 498 | 499)
  | (500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511)
  | (520 | 521 | 522 | 523 | 524 | 525 | 526 | 530 | 561);
