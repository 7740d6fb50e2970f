/** A typed client for the Animal Store API. */
import type { paths } from '@animal-store/contract';
import createClient, { type Client } from 'openapi-fetch';

export type AnimalStoreOptions = {
  /** Your API key. */
  apiKey: string;
  /** Where the API is, ending in `/v1`. */
  baseUrl: string;
  /** What sends the requests; the global `fetch` when left out. */
  fetch?: (request: Request) => Promise<Response>;
};

export type AnimalStore = Client<paths>;

/**
 * A client with the operations of the contract, typed: `GET('/pets', ...)`, `POST('/pets', ...)`.
 * A call resolves to `{ data, response }` or, for a refusal, `{ error, response }`; it rejects only when no reply came.
 */
export function createAnimalStore({ apiKey, baseUrl, fetch }: AnimalStoreOptions): AnimalStore {
  return createClient<paths>({
    baseUrl,
    headers: { Authorization: `Bearer ${apiKey}` },
    ...(fetch === undefined ? {} : { fetch }),
  });
}
