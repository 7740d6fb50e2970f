import { contractVersion, idempotentOperations, type paths, requestMediaTypes } from '@animal-store/contract';
import type { RateLimit } from './headers/rate-limit.ts';
import type { Methods, Verb } from './methods.ts';
import { type DeprecationNotice, deprecation } from './middleware/deprecation.ts';
import { newIdempotencyKey } from './middleware/idempotency.ts';
import { type Middleware, runMiddleware } from './middleware/run.ts';
import { type AnimalStoreOptions, checkedBaseUrl, checkedKey, defaults, policyOf, surroundingsOf } from './options.ts';
import { read } from './read.ts';
import { type Init, requestOf } from './request.ts';
import { type Call, factsOf, thrownBy } from './sending/attempt.ts';
import { type ClientEvent, guarded, type Logger } from './sending/events.ts';
import { createSender } from './sending/send.ts';
import { hashOf, shareAcrossTabs } from './sending/shared-gate.ts';

/** The client of a contract with these paths. */
export type Store<Paths extends object> = Omit<Methods<Paths>, 'use' | 'eject'> & {
  /** Adds middlewares. The later ones are nearer to the API. */
  use(...middlewares: Middleware[]): void;
  /** Removes middlewares. */
  eject(...middlewares: Middleware[]): void;
  /** What the last response said about the quota; undefined before the first one. */
  readonly rateLimit: RateLimit | undefined;
  /** Forgets a refusal, for example after the plan was raised: the next call is sent instead of failing or waiting. */
  resume(): void;
};

/** The operations of the contract, typed: `GET('/pets', ...)`, `POST('/pets', ...)`. */
export type AnimalStore = Store<paths>;

/** What the client needs to know about its contract at run time. Both properties identify operations by method and path. */
export type ContractFacts = {
  idempotentOperations: readonly string[];
  requestMediaTypes: Readonly<Record<string, string>>;
};

/**
 * A client for one API key. Create one and share it: its calls wait for each other when the quota is used up.
 *
 * A call resolves to `{ data, response }` or to `{ error, response }`. It rejects with a NetworkError or TimeoutError if no response
 * arrived, and with an AbortError if its `signal` is aborted.
 *
 * @throws TypeError if an option is not valid
 */
export function createAnimalStore(options: AnimalStoreOptions): AnimalStore {
  return createStore<paths>(options, { idempotentOperations, requestMediaTypes });
}

const verbs: readonly Verb[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** A client for any contract. Its calls accept every path; its type allows only those of the contract. */
export function createStore<Paths extends object>(options: AnimalStoreOptions, contract: ContractFacts): Store<Paths>;
export function createStore(options: AnimalStoreOptions, contract: ContractFacts): object {
  const { apiKey, onEvent, onDeprecated, gate, validate } = options;
  const logger: Logger = options.logger ?? { warn: console.warn };
  if (typeof apiKey !== 'function') checkedKey(apiKey);
  const baseUrl = checkedBaseUrl(options.baseUrl);
  const { origin } = new URL(baseUrl);
  const policy = policyOf(defaults, options);
  const surroundings = surroundingsOf(options);
  const { clock } = surroundings;
  const emit = guarded((event: ClientEvent) => {
    logger[/retry|gate/.test(event.type) ? 'info' : 'debug']?.(event.type, event);
    onEvent?.(event);
  });
  const shared =
    gate ?? (typeof apiKey === 'string' ? shareAcrossTabs(`animal-store ${hashOf(baseUrl + apiKey)}`) : undefined);
  const sender = createSender({ apiKey, policy, surroundings, emit, shared: shared || undefined });
  const warn = ({ message }: DeprecationNotice) => logger.warn?.(message);
  const noticeDeprecation = deprecation(guarded(onDeprecated === false ? undefined : (onDeprecated ?? warn)));
  const middlewares = new Set<Middleware>();
  const headers = {
    // JSON if the operation can return it, and any other media type if it cannot.
    Accept: 'application/json, */*;q=0.1',
    // Browsers send their own, and some ask the API for permission to send another.
    ...(typeof location === 'undefined' ? { 'User-Agent': `animal-store-client/${contractVersion}` } : {}),
  };
  const common = { baseUrl, headers, requestMediaTypes: contract.requestMediaTypes };

  async function call(verb: string, path: string, init: Init = {}): ReturnType<typeof read> {
    const method = verb.toUpperCase();
    const operation = `${method} ${path}`;
    const { parseAs = 'json', fetch, body } = init;
    const isStreamed = body instanceof ReadableStream;
    const signal = init.signal ?? new AbortController().signal;
    const facts: Call = { policy, signal, fetch, parseAs, isStreamed, idempotencyKey: undefined, attempts: 0 };
    const start = clock();
    let ending: object = {};
    try {
      facts.policy = policyOf(policy, init);
      const request = requestOf(method, path, init, common);
      if (contract.idempotentOperations.includes(operation) && !request.headers.has('Idempotency-Key')) {
        request.headers.set('Idempotency-Key', newIdempotencyKey());
      }
      const about = { schemaPath: path, params: init.params ?? {}, id: `${start}` };
      const response = await runMiddleware([...middlewares], request, about, async (final) => {
        if (new URL(final.url).origin !== origin) throw new TypeError(`This client only sends requests to ${origin}.`);
        facts.idempotencyKey = final.headers.get('Idempotency-Key') ?? undefined;
        return sender.send(final, facts);
      });
      noticeDeprecation(operation, response);
      const result = await read(operation, response, facts, validate);
      ending = { status: response.status, code: result.error?.code };
      return result;
    } catch (thrown) {
      const error = thrownBy(facts, thrown);
      ending = { error };
      throw error;
    } finally {
      emit({ type: 'end', operation, duration: clock() - start, ...factsOf(facts), ...ending });
    }
  }

  const methods = verbs.map((verb) => [verb.toUpperCase(), (path: string, init?: Init) => call(verb, path, init)]);
  return {
    ...Object.fromEntries(methods),
    request: call,
    use(...added: Middleware[]) {
      for (const middleware of added) middlewares.add(middleware);
    },
    eject(...removed: Middleware[]) {
      for (const middleware of removed) middlewares.delete(middleware);
    },
    get rateLimit() {
      return sender.rateLimit();
    },
    resume: sender.resume,
  };
}
