/** A typed client for the Animal Store API. */
export type { components, OperationTypes, Plan, paths, Scope } from '@animal-store/contract';
// The schemas that pages and programs name. All others are in `components`.
export type {
  CategoryId,
  EntityTags,
  ErrorBody,
  ErrorCode,
  ErrorDetail,
  Key,
  NewOrder,
  NewPet,
  Order,
  OrderId,
  OrderStatus,
  Orders,
  Pet,
  PetId,
  PetName,
  PetPatch,
  PetStatus,
  Pets,
  QuotaWindow,
} from '@animal-store/contract/types';
export {
  AbortError,
  type ApiKey,
  type CallOptions,
  type ClientEvent,
  type DeprecationNotice,
  defaults,
  type Heard,
  type Listing,
  type Logger,
  type Middleware,
  NetworkError,
  newIdempotencyKey,
  type OtherErrorCode,
  type Page,
  type RateLimit,
  type ResponseValidator,
  type Result,
  rateLimitOf,
  type SharedGate,
  shareAcrossTabs,
  TimeoutError,
  unwrap,
} from '@contract-first/client';
export { type AnimalStore, type AnimalStoreOptions, createAnimalStore } from './animal-store.ts';
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
// CreatePetError, ...
export type * from './generated/errors.ts';
