import { idempotentOperations, type paths, requestMediaTypes } from '@animal-store/contract';
import { isJson } from './headers/media-type.ts';
import type { RateLimit } from './headers/rate-limit.ts';
import type { Json, Methods, Verb } from './methods.ts';
import { deprecation, warnOnConsole } from './middleware/deprecation.ts';
import { idempotency } from './middleware/idempotency.ts';
import {
  createClient,
  defaultBodySerializer,
  type HeadersOptions,
  mergeHeaders,
  type ParseAs,
} from './openapi-fetch.ts';
import { type AnimalStoreOptions, policyOf, surroundingsOf } from './options.ts';
import { guarded } from './sending/events.ts';
import { createSender } from './sending/send.ts';
import type { Result } from './unwrap.ts';

/** The client of a contract with these paths. */
export type Store<Paths extends object> = Methods<Paths> & {
  /** What the last reply said of the quota; undefined before the first one. */
  readonly rateLimit: RateLimit | undefined;
};

/** The operations of the contract, typed: `GET('/pets', ...)`, `POST('/pets', ...)`. */
export type AnimalStore = Store<paths>;

/** What the client needs to know about its contract at run time. Both properties identify operations by method and path. */
export type ContractFacts = {
  idempotentOperations: readonly string[];
  requestMediaTypes: Readonly<Record<string, string>>;
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
  return createStore<paths>(options, { idempotentOperations, requestMediaTypes });
}

/** Paths that have every method: the types of `Store` check each call. */
type AnyPaths = Record<string, Record<Verb, AnyOperation>>;
type AnyOperation = { requestBody?: { content: Record<Json, unknown> }; responses: Record<number, unknown> };

type Init = { body?: unknown; parseAs?: ParseAs; headers?: HeadersOptions };

const verbs: readonly Verb[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** A client for any contract. */
export function createStore<Paths extends object>(options: AnimalStoreOptions, contract: ContractFacts): Store<Paths> {
  const { apiKey, baseUrl, onEvent, onDeprecated = warnOnConsole } = options;
  const sender = createSender(policyOf(options), surroundingsOf(options), guarded(onEvent));
  // Also resolves an address without a host, against that of the page.
  const { origin } = new URL(new Request(baseUrl).url);
  const { use, eject, request } = createClient<AnyPaths>({
    baseUrl,
    // JSON if the operation can return it, and any other media type if it cannot.
    headers: { Authorization: `Bearer ${apiKey}`, Accept: 'application/json, */*;q=0.1' },
    // The API never redirects, and nobody else shall get the key.
    redirect: 'manual',
    bodySerializer,
  });
  use(idempotency(contract.idempotentOperations));
  if (onDeprecated !== false) use(deprecation(guarded(onDeprecated)));

  async function call(method: Verb, path: string, init: Init = {}): Promise<Result<unknown>> {
    const { body, parseAs, headers } = init;
    const mediaType = body === undefined ? undefined : contract.requestMediaTypes[`${method.toUpperCase()} ${path}`];
    const isStreamed = body instanceof ReadableStream;
    const result = await request(method, path, {
      fetch: async (sent: Request) => {
        if (new URL(sent.url).origin !== origin) throw new TypeError(`This client only sends requests to ${origin}.`);
        return sender.send(sent, { parseAs, isStreamed });
      },
      // The Fetch standard requires this if the body is a stream.
      ...(isStreamed ? { duplex: 'half' } : {}),
      ...init,
      ...(mediaType === undefined ? {} : { headers: mergeHeaders({ 'Content-Type': mediaType }, headers) }),
    });
    const { response } = result;
    // openapi-fetch treats a 304 as an error with an empty body.
    return response.status === 304 ? { data: undefined, response } : result;
  }

  const calls = {
    use,
    eject,
    request: call,
    ...Object.fromEntries(
      verbs.map((verb) => [verb.toUpperCase(), (path: string, init?: Init) => call(verb, path, init)]),
    ),
    get rateLimit() {
      return sender.rateLimit();
    },
  };
  // The calls accept any path; their types allow only the paths of the contract.
  return calls as unknown as Store<Paths>;
}

/** Encodes a body as JSON, unless the request names another media type: then it is sent unchanged. */
function bodySerializer(body: unknown, headers?: Headers): unknown {
  const mediaType = headers?.get('Content-Type') ?? 'application/json';
  return isJson(mediaType) ? defaultBodySerializer(body) : body;
}
