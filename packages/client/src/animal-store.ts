import type { paths } from '@animal-store/contract';
import createClient, { type Client } from 'openapi-fetch';
import type { RateLimit } from './headers/rate-limit.ts';
import { deprecation, warnOnConsole } from './middleware/deprecation.ts';
import { idempotency } from './middleware/idempotency.ts';
import { type AnimalStoreOptions, policyOf, surroundingsOf } from './options.ts';
import { guarded } from './sending/events.ts';
import { createSender } from './sending/send.ts';

/** The operations of the contract, typed: `GET('/pets', ...)`, `POST('/pets', ...)`. */
export type AnimalStore = Client<paths> & {
  /** What the last reply said of the quota; undefined before the first one. */
  readonly rateLimit: RateLimit | undefined;
};

/**
 * A client for one API key. Make one and share it: its calls wait for each other when the quota is used up.
 *
 * A call resolves to `{ data, response }`, or to `{ error, response }` when the API refuses. It rejects with a
 * NetworkError (or TimeoutError) when no reply came, and with the reason of its `signal` when that aborts.
 *
 * @throws TypeError when `baseUrl` is no address
 */
export function createAnimalStore(options: AnimalStoreOptions): AnimalStore {
  const { apiKey, baseUrl, onEvent, onDeprecated = warnOnConsole } = options;
  const sender = createSender(policyOf(options), surroundingsOf(options), guarded(onEvent));
  // Also resolves an address without a host, against that of the page.
  const { origin } = new URL(new Request(baseUrl).url);
  const client = createClient<paths>({
    baseUrl,
    headers: { Authorization: `Bearer ${apiKey}` },
    // The API never redirects, and nobody else shall get the key.
    redirect: 'manual',
    fetch: async (request) => {
      if (new URL(request.url).origin !== origin) throw new TypeError(`This client sends to ${origin} only.`);
      return sender.send(request);
    },
  });
  client.use(idempotency);
  if (onDeprecated !== false) client.use(deprecation(guarded(onDeprecated)));
  return {
    ...client,
    get rateLimit() {
      return sender.rateLimit();
    },
  };
}
