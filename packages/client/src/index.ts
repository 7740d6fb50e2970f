/** A typed client for the Animal Store API. */
export type { components, OperationId, OperationTypes, Plan, paths, Scope } from '@animal-store/contract/types';
export {
  AbortError,
  type ApiKey,
  type CallFacts,
  type CallOptions,
  type ClientEvent,
  type DataOf,
  type DeprecationNotice,
  defaults,
  type Exact,
  type Heard,
  type InitOf,
  type JsonResponse,
  type Listing,
  type Logger,
  type Middleware,
  type MiddlewareCallbackParams,
  NetworkError,
  newIdempotencyKey,
  type OperationOf,
  type OtherErrorCode,
  type Page,
  type PathWith,
  type RateLimit,
  type RateLimitScope,
  type ResponseValidator,
  type Result,
  rateLimitOf,
  type SharedGate,
  shareAcrossTabs,
  type Thrown,
  TimeoutError,
  type Verb,
} from '@contract-first/client';
export { type AnimalStore, type AnimalStoreOptions, createAnimalStore, type Store } from './animal-store.ts';
export {
  type AnyErrorCode,
  ApiError,
  type CallError,
  isAbortError,
  isApiError,
  isNetworkError,
  isRateLimitError,
  isTimeoutError,
  RateLimitError,
  toApiError,
} from './errors.ts';
// CreatePetError, ... and each schema by its name: Pet, NewPet, ErrorCode, ...
export type * from './generated/errors.ts';
export type * from './generated/schemas.ts';
export { type ListInit, type ListItem, type ListPath, type ListRest, paginate, unwrap } from './paginate.ts';
