import {
  type ClientEvent,
  createAnimalStore,
  isApiError,
  isRateLimitError,
  type RateLimit,
  unwrap,
} from '@animal-store/client';
import { apiKey, baseUrl } from './environment.cjs';

const store = createAnimalStore({ apiKey, baseUrl, maxRetries: 0, onEvent: ({ type }) => events.push(type) });
const events: ClientEvent['type'][] = [];

const added = await unwrap(store.POST('/pets', { body: { name: 'Milo', categoryId: 3 } }));
const pets = await unwrap(store.GET('/pets', { params: { query: { limit: 100 } } }));
const rateLimit: RateLimit | undefined = store.rateLimit;
const cancelled = store.POST('/store/orders/{orderId}/cancel', { params: { path: { orderId: 1 } } });
const error: unknown = await unwrap(cancelled).catch((reason: unknown) => reason);
if (isRateLimitError(error) || rateLimit === undefined || events.length !== 12) throw new Error(events.join());

const refusal = isApiError(error) ? error.code : undefined;
console.log(JSON.stringify({ added: added.name, isListed: pets.some(({ id }) => id === added.id), refusal }));
