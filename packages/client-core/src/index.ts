/** A typed client for any contract: what sends requests, and the types of its calls. */
export { type Client, createClient } from './client.ts';
export type { DeprecationNotice } from './deprecation.ts';
export {
  AbortError,
  ApiError,
  type ApiErrorParts,
  type CallError,
  type Caught,
  type ErrorDetail,
  type ErrorOf,
  isKind,
  NetworkError,
  type OtherErrorCode,
  RateLimitError,
  type RateLimitErrorParts,
  type Thrown,
  TimeoutError,
} from './errors.ts';
export { withForm } from './form.ts';
export { type RateLimit, rateLimitOf } from './headers.ts';
export type {
  CallInit,
  CallOptions,
  CallResult,
  DataOf,
  RawBody,
  RawData,
  RawParseAs,
  WhileWriting,
} from './methods.ts';
export type { Middleware } from './openapi-fetch.ts';
export { type ApiKey, type ClientOptions, defaults } from './options.ts';
export type { Listing, Page } from './paging.ts';
export type { JsonResponse, ResponseValidator } from './read.ts';
export type { ClientEvent, Logger } from './sending/events.ts';
export type { Heard } from './sending/gate-state.ts';
export { newIdempotencyKey } from './sending/retry.ts';
export { type SharedGate, shareAcrossTabs } from './sending/shared-gate.ts';
export { type Result, toApiError, unwrap } from './unwrap.ts';
