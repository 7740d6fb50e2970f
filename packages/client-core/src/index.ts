/** A typed client for any contract: what sends requests, and the types of its calls. */
export { type Client, type ClientFacts, createClient } from './client.ts';
export {
  AbortError,
  ApiError,
  type ApiErrorParts,
  type CallError,
  type CallFacts,
  type Caught,
  type ErrorDetail,
  type ErrorOf,
  isKind,
  NetworkError,
  type OtherErrorCode,
  RateLimitError,
  type RateLimitErrorParts,
  type RateLimitScope,
  type Thrown,
  TimeoutError,
} from './errors.ts';
export { withForm } from './form.ts';
export { type RateLimit, rateLimitOf } from './headers/rate-limit.ts';
export type { CallOptions, DataOf, Exact, InitOf, OperationOf, PathWith, RawBody, Verb } from './methods.ts';
export type { DeprecationNotice } from './middleware/deprecation.ts';
export { newIdempotencyKey } from './middleware/idempotency.ts';
export type { Middleware, MiddlewareCallbackParams } from './openapi-fetch.ts';
export { type ApiKey, type ClientOptions, defaults } from './options.ts';
export type { Listing, Page, Paging } from './paging.ts';
export type { CallInit, CallResult, RawData, RawParseAs, WhileWriting } from './path-methods.ts';
export type { JsonResponse, ResponseValidator } from './read.ts';
export type { ClientEvent, Logger } from './sending/events.ts';
export type { Heard } from './sending/gate-state.ts';
export { type SharedGate, shareAcrossTabs } from './sending/shared-gate.ts';
export type { HttpStatus } from './status.ts';
export { type Result, toApiError, unwrap } from './unwrap.ts';
