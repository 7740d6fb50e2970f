import type { ApiError, NetworkError } from '../errors.ts';

/** Why a query or a mutation failed: the API returned an error, which may be a RateLimitError, or there was no response. */
export type AnimalStoreError = ApiError | NetworkError;
