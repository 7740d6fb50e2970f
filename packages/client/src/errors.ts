import type { ErrorCode, ErrorDetail } from '@animal-store/contract';
import type { RateLimit } from './headers/rate-limit.ts';

/** Tells our errors from others, over all copies of this module: as ESM, as CommonJS, and of other versions. */
type Kinds = readonly ('api' | 'rate-limit' | 'network' | 'timeout')[];

/** What is known about a refusal. */
export type ApiErrorParts = {
  /** A code of the contract, one that is newer than this client, or `unknown_error` where the reply had none. */
  code: ErrorCode | (string & Record<never, never>);
  message: string;
  /** The HTTP status. */
  status: number;
  /** One entry per problem of the request; often empty. */
  details: readonly ErrorDetail[];
  /** Quote it when you ask for help. Undefined when the request was not sent, since the gate was shut. */
  requestId: string | undefined;
  rateLimit: RateLimit | undefined;
};

/** The API refused the request. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
  readonly animalStore: Kinds = ['api'];
  readonly code: ApiErrorParts['code'];
  readonly status: number;
  readonly details: readonly ErrorDetail[];
  readonly requestId: string | undefined;
  readonly rateLimit: RateLimit | undefined;

  constructor({ message, code, status, details, requestId, rateLimit }: ApiErrorParts) {
    super(message);
    this.code = code;
    this.status = status;
    this.details = details;
    this.requestId = requestId;
    this.rateLimit = rateLimit;
  }
}

/** The quota of the minute or of the day is used up, or the key is banned. */
export type RateLimitScope = 'minute' | 'day' | 'ban';

/** The API refuses requests for now, or would: then the request was not sent. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
  override readonly animalStore: Kinds = ['api', 'rate-limit'];
  readonly scope: RateLimitScope;
  /** When requests are allowed again, by the clock of the server. */
  readonly resetAt: Date;
  /** Seconds until then, counted from the refusal. */
  readonly retryAfter: number;

  constructor(parts: ApiErrorParts & { scope: RateLimitScope; resetAt: Date; retryAfter: number }) {
    super(parts);
    this.scope = parts.scope;
    this.resetAt = parts.resetAt;
    this.retryAfter = parts.retryAfter;
  }
}

/** No reply came, or none that can be read; `cause` says why. The API may have acted on the request nevertheless. */
export class NetworkError extends Error {
  override readonly name: string = 'NetworkError';
  readonly animalStore: Kinds = ['network'];
}

/** No reply came within `timeout`. Also a NetworkError. */
export class TimeoutError extends NetworkError {
  override readonly name = 'TimeoutError';
  override readonly animalStore: Kinds = ['network', 'timeout'];
}

/** Whether the API refused; also true for a RateLimitError. */
export function isApiError(error: unknown): error is ApiError {
  return isKind(error, 'api');
}

export function isRateLimitError(error: unknown): error is RateLimitError {
  return isKind(error, 'rate-limit');
}

/** Whether no reply came; also true for a TimeoutError. */
export function isNetworkError(error: unknown): error is NetworkError {
  return isKind(error, 'network');
}

export function isTimeoutError(error: unknown): error is TimeoutError {
  return isKind(error, 'timeout');
}

function isKind(error: unknown, kind: Kinds[number]): boolean {
  if (typeof error !== 'object' || error === null || !('animalStore' in error)) return false;
  return Array.isArray(error.animalStore) && error.animalStore.includes(kind);
}
