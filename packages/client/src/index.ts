/** A typed client for the Animal Store API. */
export type { components, OperationId, OperationTypes, Plan, paths, Scope } from '@animal-store/contract/types';
export { type AnimalStore, createAnimalStore, type Store } from './animal-store.ts';
export {
  ApiError,
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
export { type AnimalStoreOptions, defaults } from './options.ts';
export {
  type ListInit,
  type ListItem,
  type Listing,
  type ListPath,
  type ListRest,
  type Page,
  paginate,
} from './paginate.ts';
export type { ClientEvent } from './sending/events.ts';
export { type Result, toApiError, unwrap } from './unwrap.ts';
