/**
 * Type tests: invalid calls must not compile, and valid ones must. `npm run typecheck` compiles this file, which never
 * runs. A `@ts-expect-error` above a line that compiles is itself an error.
 */
import {
  type AnimalStore,
  ApiError,
  type CallError,
  createAnimalStore,
  type ErrorBody,
  type ErrorDetail,
  isApiError,
  isNetworkError,
  isRateLimitError,
  isTimeoutError,
  type ListPetsError,
  type Order,
  type Pet,
  unwrap,
} from '../../src/index.ts';

/** Compiles only if both types are the same, optional properties included. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function holds<_ extends true>(): void {}

declare const store: AnimalStore;
declare const signal: AbortSignal;
declare const caught: unknown;

export async function calls(): Promise<void> {
  const listed = await store.GET('/pets', { params: { query: { status: 'available', limit: 5 } }, signal });
  holds<Same<typeof listed.data, Pet[] | undefined>>();
  holds<Same<typeof listed.error, ListPetsError | undefined>>();
  if (listed.error) holds<Same<typeof listed.error, ListPetsError>>();
  else holds<Same<typeof listed.data, Pet[]>>();
  listed.error satisfies CallError | undefined;

  const created = await store.POST('/pets', { body: { name: 'Rex', categoryId: 3 } });
  holds<Same<typeof created.data, Pet | undefined>>();
  await store.POST('/pets', { body: { name: 'Rex', categoryId: 3 }, params: { header: { 'Idempotency-Key': 'a' } } });
  await store.POST('/store/orders/{orderId}/cancel', { params: { path: { orderId: 1 } } });

  await store.GET('/pets', { params: { query: { id: [1, 2] } } });
  const path = { petId: 1 };
  const updated = await store.PATCH('/pets/{petId}', {
    params: { path, header: { 'If-Match': '*' } },
    body: { name: 'Rex' },
  });
  holds<Same<typeof updated.data, Pet | undefined>>();
  const removed = await store.DELETE('/pets/{petId}', { params: { path } });
  holds<Same<typeof removed.data, undefined>>();

  // @ts-expect-error If-Match left out
  await store.PATCH('/pets/{petId}', { params: { path }, body: { name: 'Rex' } });
  // @ts-expect-error a path that the contract does not have
  await store.GET('/animals');
  // @ts-expect-error a method that the path does not have
  await store.DELETE('/pets');
  // @ts-expect-error an invalid status
  await store.GET('/pets', { params: { query: { status: 'lost' } } });
  // @ts-expect-error no body
  await store.POST('/pets', {});
  // @ts-expect-error a property left out
  await store.POST('/pets', { body: { name: 'Rex' } });
  // @ts-expect-error the path's parameter left out
  await store.GET('/pets/{petId}');
}

export function results(error: CallError, body: ErrorBody, thrown: ApiError): void {
  // The properties of an error from the API, and those that the client adds.
  holds<Same<typeof error.requestId, string | undefined>>();
  holds<Same<typeof error.idempotencyKey, string | undefined>>();
  holds<Same<typeof error.attempts, number>>();
  holds<Same<typeof error.sent, boolean>>();
  holds<Same<typeof error.details, ErrorDetail[] | undefined>>();
  body.code satisfies typeof error.code;
  if (error.code === 'pet_not_found' || error.code === 'unexpected_response') return;
  thrown satisfies Required<Omit<CallError, 'details' | 'documentation' | 'requestId' | 'idempotencyKey'>>;
}

export async function callOptions(): Promise<void> {
  const options = { timeout: 1_000, maxRetries: 0, maxRetryAfter: 0, signal, headers: { Accept: 'text/csv' } };
  await store.GET('/pets', { ...options, params: { query: { status: 'sold' } } });
  await store.GET('/pets', options);
  await store.POST('/pets', { body: { name: 'Rex', categoryId: 3 }, idempotencyKey: 'a', ...options });
  await store.request('get', '/pets', options);
  const { signal: none }: { signal?: AbortSignal } = {};
  await store.GET('/pets', { signal: none, cache: 'no-store', credentials: 'include' });

  // @ts-expect-error the query outside of params
  await store.GET('/pets', { query: { status: 'sold' } });
  // @ts-expect-error a misspelled name of params
  await store.GET('/pets', { param: { query: { status: 'sold' } } });
  // @ts-expect-error a misspelled option
  await store.GET('/pets', { signla: signal });
  // @ts-expect-error a misspelled option next to a valid one
  await store.GET('/pets', { timeout: 5, maxRetry: 0 });
  // @ts-expect-error a timeout that is text
  await store.GET('/pets', { timeout: '30s' });
  // @ts-expect-error the method of fetch, which the call already names
  await store.GET('/pets', { method: 'PUT' });
  // @ts-expect-error a misspelled query parameter
  await store.GET('/pets', { params: { query: { status: 'sold', limitt: 1 } } });
  // @ts-expect-error a misspelled place of parameters
  await store.GET('/pets', { params: { querry: { status: 'sold' } } });
  // @ts-expect-error a misspelled header parameter
  await store.GET('/pets', { params: { header: { 'If-Non-Match': '*' } } });
  // @ts-expect-error a property that the body does not have
  await store.POST('/pets', { body: { name: 'Rex', categoryId: 3, colour: 'brown' } });
  // @ts-expect-error a body for an operation that takes none
  await store.GET('/pets', { body: {} });
  // @ts-expect-error a misspelled option
  await store.request('get', '/pets', { signla: signal });
}

/** TypeScript reports a surplus property only in a literal, or if all properties are optional and none is given. The API refuses it: 400. */
export async function notFresh(): Promise<void> {
  const query = { query: { status: 'sold' as const } };
  const misspelled = { status: 'sold' as const, limitt: 1 };
  // @ts-expect-error the query outside of params
  await store.GET('/pets', query);
  await store.GET('/pets', { params: { query: misspelled } });
}

export async function unwrapped(): Promise<void> {
  const pets = await unwrap(store.GET('/pets'));
  holds<Same<typeof pets, Pet[]>>();
  const order = await unwrap(await store.POST('/store/orders', { body: { petId: 1 } }));
  holds<Same<typeof order, Order>>();
}

export function errors(): void {
  if (isApiError(caught)) {
    // The codes of the contract are known, and a code may be any text.
    const code: string = caught.code;
    caught satisfies { status: number; requestId: string | undefined };
    if (code === 'pet_not_found' || code === 'a_newer_code' || caught.code === 'pet_not_found') return;
  }
  if (isRateLimitError(caught)) caught satisfies ApiError & { scope: 'minute' | 'day' | 'ban'; resetAt: Date };
  if (isNetworkError(caught)) caught satisfies Error;
  if (isTimeoutError(caught)) caught satisfies Error;
  // @ts-expect-error a caught value is unknown until a guard has checked it
  caught.code;
}

export const client: AnimalStore = createAnimalStore({ apiKey: '', baseUrl: '', fetch, onDeprecated: false });

// @ts-expect-error no key
export const withoutKey = createAnimalStore({ baseUrl: '' });

// @ts-expect-error an option that does not exist
export const withOther = createAnimalStore({ apiKey: '', baseUrl: '', retries: 3 });

// @ts-expect-error the quota is read-only
client.rateLimit = undefined;

// @ts-expect-error an error of the API has a code
export const codeless = new ApiError({ message: '', status: 404, details: [] });

// The root entry exports schemas, and no helper types of the generator.
// @ts-expect-error the name of a global
export type NoError = import('../../src/index.ts').Error;
// @ts-expect-error a helper type
export type NoDefs = import('../../src/index.ts').$defs;
// @ts-expect-error a helper type
export type NoWebhooks = import('../../src/index.ts').webhooks;
// @ts-expect-error the type of a header
export type NoHeader = import('../../src/index.ts').HeaderXRateLimitLimit;
