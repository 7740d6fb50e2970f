/** The errors of each operation have its codes and their statuses, and no others; see client.types.ts. */
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import {
  type AnimalStore,
  type ApiError,
  type CallError,
  isApiError,
  isRateLimitError,
  type ListPetsError,
  type OtherErrorCode,
  toApiError,
  unwrap,
} from '../../src/index.ts';
import type { AnimalStoreQueries } from '../../src/queries/index.ts';

/** Compiles only if both types are the same, optional properties included. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function holds<_ extends true>(): void {}

declare const store: AnimalStore;
declare const { queries, mutations }: AnimalStoreQueries;
declare const caught: unknown;

/** A switch over all codes: what is left in `default` are the codes that the contract does not have. */
export async function returned(): Promise<number> {
  const { error } = await store.POST('/pets', { body: { name: 'Rex', categoryId: 3 } });
  if (error === undefined) return 0;
  switch (error.code) {
    case 'invalid_request':
    case 'invalid_json':
    case 'malformed_http':
      holds<Same<typeof error.status, 400>>();
      return error.details?.length ?? error.status;
    case 'api_key_missing':
    case 'api_key_invalid':
    case 'insufficient_scope':
      return error.status;
    case 'idempotency_key_in_use':
    case 'idempotency_key_reused':
      return error.idempotencyKey?.length ?? 0;
    case 'rate_limited':
    case 'key_banned':
      holds<Same<typeof error.status, 429>>();
      return error.status;
    case 'body_too_large':
    case 'headers_too_large':
    case 'unsupported_media_type':
    case 'request_timeout':
    case 'internal_error':
    case 'service_unavailable':
      return error.status;
    default:
      holds<Same<typeof error.code, OtherErrorCode>>();
      return error.status;
  }
}

export async function compared(): Promise<boolean> {
  const { error } = await store.POST('/pets', { body: { name: 'Rex', categoryId: 3 } });
  if (error === undefined) return false;
  // @ts-expect-error a code of other operations
  if (error.code === 'pet_not_found') return true;
  // @ts-expect-error a misspelled code
  if (error.code === 'invalid_requst') return true;
  // @ts-expect-error a status that no response has
  if (error.status === 999) return true;
  // A gateway may send any status.
  if (error.status === 502) holds<Same<typeof error.code, OtherErrorCode>>();
  if (error.status === 409) holds<Same<typeof error.code, 'idempotency_key_in_use' | OtherErrorCode>>();
  // A newer server may send other codes.
  const code: string = error.code;
  return code === 'too_many_pets' || error.code === 'unexpected_response';
}

export function thrown(): void {
  if (isApiError(caught, 'PATCH /pets/{petId}')) {
    // @ts-expect-error a code of another operation
    if (caught.code === 'order_not_found') return;
    if (caught.code === 'pet_not_found') holds<Same<typeof caught.status, 404>>();
    if (caught.status === 429) caught.retryAfter satisfies number;
    if (caught.code === 'rate_limited') caught.scope satisfies 'minute' | 'day' | 'ban';
    if (isRateLimitError(caught)) caught.retryAfter satisfies number;
    else caught.requestId satisfies string | undefined;
  }
  // @ts-expect-error an operation that the contract does not have
  isApiError(caught, 'POST /animals');
  // @ts-expect-error a misspelled code
  if (isApiError(caught) && caught.code === 'pet_not_fond') return;
}

/** The error of a result is not an exception, so the guards would be false. */
export async function returnedAndGuarded(): Promise<void> {
  const result = await store.GET('/pets');
  // @ts-expect-error `error` before it is compared with undefined
  isApiError(result.error);
  if (result.error === undefined) return;
  const named: ListPetsError = result.error;
  const any: CallError = result.error;
  // @ts-expect-error a returned error
  isApiError(named);
  // @ts-expect-error a returned error
  isApiError(named, 'GET /pets');
  // @ts-expect-error a returned error
  isRateLimitError(named);
  // @ts-expect-error a returned error of any call
  isRateLimitError(any);
  const exception = toApiError(named, result.response);
  if (isRateLimitError(exception)) exception.retryAfter satisfies number;
  const failed = [exception, new Error(), undefined].filter(isRateLimitError);
  failed[0]?.scope satisfies 'minute' | 'day' | 'ban' | undefined;
  // As exceptions are without `useUnknownInCatchVariables`.
  const loose = JSON.parse('');
  if (isApiError(loose)) holds<Same<typeof loose, ApiError>>();
  const message = await unwrap(result).catch((error: unknown) => isApiError(error) && error.message);
  message satisfies unknown;
}

export function useErrors(): (boolean | null)[] {
  const create = useMutation(mutations.pets.create()).error;
  const createWithHeaders = useMutation(mutations.pets.create.withHeaders()).error;
  const get = useQuery(queries.beta.orders.get({ orderId: 1 })).error;
  const list = useInfiniteQuery(queries.pets.list.infinite()).error;
  if (isApiError(create) && create.code === 'idempotency_key_reused') holds<Same<typeof create.status, 422>>();
  return [
    // @ts-expect-error a code of other operations
    isApiError(create) && create.code === 'pet_not_found',
    // @ts-expect-error a code of other operations
    isApiError(createWithHeaders) && createWithHeaders.code === 'pet_not_found',
    isApiError(get) && get.code === 'order_not_found',
    // @ts-expect-error a code of other operations
    isApiError(get) && get.code === 'pet_not_found',
    // @ts-expect-error a code of other operations
    isApiError(list) && list.code === 'pet_not_found',
  ];
}
