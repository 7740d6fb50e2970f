/** A typed client for the Animal Store API. */
export type { components, OperationId, OperationTypes, Plan, paths, Scope } from '@animal-store/contract/types';
export { type AnimalStore, createAnimalStore, type Store } from './animal-store.ts';
export {
  AbortError,
  type AnyErrorCode,
  ApiError,
  type CallError,
  type CallFacts,
  isAbortError,
  isApiError,
  isNetworkError,
  isRateLimitError,
  isTimeoutError,
  NetworkError,
  RateLimitError,
  type RateLimitScope,
  TimeoutError,
} from './errors.ts';
// Each schema by its name: Pet, NewPet, ErrorCode, ...
export type * from './generated/schemas.ts';
export { type RateLimit, rateLimitOf } from './headers/rate-limit.ts';
export type { CallOptions, DataOf, Exact, InitOf, OperationOf, PathWith, Verb } from './methods.ts';
export type { DeprecationNotice } from './middleware/deprecation.ts';
export { newIdempotencyKey } from './middleware/idempotency.ts';
export type { Middleware, MiddlewareCallbackParams } from './openapi-fetch.ts';
export { type AnimalStoreOptions, type ApiKey, defaults } from './options.ts';
export {
  type ListInit,
  type ListItem,
  type Listing,
  type ListPath,
  type ListRest,
  type Page,
  paginate,
} from './paginate.ts';
export type { JsonResponse, ResponseValidator } from './read.ts';
export type { ClientEvent, Logger } from './sending/events.ts';
export type { Heard } from './sending/gate-state.ts';
export { type SharedGate, shareAcrossTabs } from './sending/shared-gate.ts';
export { type Result, toApiError, unwrap } from './unwrap.ts';
