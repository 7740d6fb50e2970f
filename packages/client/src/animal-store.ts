import {
  contractVersion,
  emptySuccesses,
  idempotentOperations,
  type paths,
  requestMediaTypes,
} from '@animal-store/contract';
import {
  type ApiKey,
  type Client,
  type ClientOptions,
  createClient,
  type ResponseValidator,
} from '@contract-first/client';
import type { OperationErrors } from './generated/errors.ts';
import { type NamedMethods, namedMethods } from './generated/operations.ts';
import type { PathMethods } from './generated/paths.ts';

/** The client of a contract with these paths. */
export type Store<Paths extends object> = Client<Paths, OperationErrors>;

/** The operations of the contract, typed: by name, `pets.list(...)`, and by path, `GET('/pets', ...)`. */
export type AnimalStore = Client<paths, OperationErrors, PathMethods> & NamedMethods;

/** The part of a client that sends requests. */
export type Caller = Pick<Client<paths, OperationErrors>, 'request'>;

export type AnimalStoreOptions = ClientOptions & {
  /** A test key (`as_test_…`) works on test servers only. */
  apiKey: ApiKey;
  /** Ends in `/v1`. */
  baseUrl: string;
  /** `validateResponse` of `@animal-store/client/validate` always checks. */
  validate?: ResponseValidator | false | undefined;
};

/**
 * A client for one API key. Create one and share it: its calls wait for each other when the quota is used up.
 *
 * A named method, `store.pets.list()`, resolves to the data, and throws an ApiError if the API returns an error. A call by path,
 * `store.GET('/pets')`, resolves to `{ data, response }` or to `{ error, response }`. Both reject with a NetworkError or TimeoutError if no
 * response arrived, and with an AbortError if the `signal` is aborted.
 *
 * @throws TypeError if an option is not valid
 */
export function createAnimalStore(options: AnimalStoreOptions): AnimalStore {
  const validate = validatorByEnvironment();
  const small = { emptySuccesses, idempotentOperations, requestMediaTypes };
  const facts = { name: 'animal-store', version: contractVersion, ...small, validate };
  const client = createClient<paths, OperationErrors, PathMethods>(facts, options);
  return Object.assign(client, namedMethods(client));
}

declare const process: { env: { NODE_ENV?: string } };

/** Loaded with the first response. Bundlers that set `NODE_ENV` to `production` leave the validator out. */
function validatorByEnvironment(): ResponseValidator | undefined {
  try {
    if (process.env.NODE_ENV === 'development' || process.env.NODE_ENV === 'test') {
      // The import fails in service workers, for example. That must not turn a response into an error.
      return async (response) =>
        (await import('./validate/index.ts').catch(() => undefined))?.validateResponse(response);
    }
  } catch {
    // Browsers have no `process` without a bundler.
  }
  return undefined;
}
