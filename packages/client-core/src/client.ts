import { type DeprecationNotice, deprecation } from './deprecation.ts';
import { type CallError, TimeoutError } from './errors.ts';
import type { withForm } from './form.ts';
import { isJson, type RateLimit } from './headers.ts';
import type { Json, Methods, Verb } from './methods.ts';
import { createFetchClient, defaultBodySerializer, type HeadersOptions, type ParseAs } from './openapi-fetch.ts';
import {
  type CallPolicy,
  type ClientOptions,
  checkedBaseUrl,
  checkedKey,
  checkOptions,
  checkPath,
  defaults,
  type Environment,
  OptionError,
  platform,
  policyOf,
} from './options.ts';
import { type ErrorReader, type ResponseValidator, read } from './read.ts';
import { type Call, factsOf, thrownBy } from './sending/attempt.ts';
import { type ClientEvent, guarded, type Logger } from './sending/events.ts';
import { newIdempotencyKey } from './sending/retry.ts';
import { type Authorize, createSender } from './sending/send.ts';
import { hashOf, shareAcrossTabs } from './sending/shared-gate.ts';
import { limitWork, systemSleep } from './sending/time.ts';

/**
 * The client of a contract with these paths. `Failures` are the types of the `error` of its operations, or one type for all. `Documented` are
 * generated signatures of its methods, whose comments editors show.
 */
export type Client<Paths extends object, Failures = CallError, Documented = unknown> = Methods<
  Paths,
  Failures,
  Documented
> & {
  /** The quota according to the last response; undefined before the first one. */
  readonly rateLimit: RateLimit | undefined;
  /** Forgets a refusal, for example after the plan was raised, and ends the waits of retries: the next call is sent at once. */
  resume(): void;
};

/** The parts of the contract that the client needs at runtime. Operations are identified by method and path. */
export type ClientFacts = {
  /** In the `User-Agent` and in the name of what tabs share: `field-notes`. */
  name: string;
  version: string;
  idempotentOperations: readonly string[];
  requestMediaTypes: Readonly<Record<string, string>>;
  /** The operations whose success may have no body. Default: all. */
  emptySuccesses?: readonly string[];
  /** Makes forms of objects: needed if an operation takes forms. */
  withForm?: typeof withForm;
  /** The default validator of responses. */
  validate?: ResponseValidator | undefined;
  /** Reads the errors in forms of the contract: needed if there are any. */
  readError?: ErrorReader | undefined;
  /** Adds the key to a request. Default: as `Authorization: Bearer`. */
  authorize?: Authorize | undefined;
};

/** Paths that have every method: the types of `Client` check each call. */
type AnyPaths = Record<string, Record<Verb, AnyOperation>>;
type AnyOperation = { requestBody?: { content: Record<Json, unknown> }; responses: Record<number, unknown> };

/** The arguments of a call after its path that the client itself reads; openapi-fetch reads the others. */
type Init = CallPolicy & {
  params?: { path?: Readonly<Record<string, unknown>>; query?: Record<string, unknown> };
  body?: unknown;
  headers?: HeadersOptions;
  parseAs?: ParseAs;
  signal?: AbortSignal;
  fetch?: Environment['fetch'];
};

type HeaderValue = string | number | boolean | (string | number | boolean)[] | null | undefined;

declare const process: { env: { NODE_ENV?: string } };

const verbs: readonly Verb[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

/**
 * A client for one API key. Create one and share it: its calls wait for each other when the quota is used up. They accept every path; the
 * type of the client allows only those of the contract.
 *
 * @throws TypeError if an option is not valid, or the platform lacks what the client needs
 */
export function createClient<Paths extends object, Failures = CallError, Documented = unknown>(
  contract: ClientFacts,
  options: ClientOptions,
): Client<Paths, Failures, Documented>;
export function createClient(contract: ClientFacts, options: ClientOptions): object {
  try {
    // Bundlers that set `NODE_ENV` to `production` leave the check out.
    if (process.env.NODE_ENV !== 'production') checkOptions(options);
  } catch (error) {
    // Browsers have no `process` without a bundler.
    if (error instanceof OptionError) throw error;
  }
  const { apiKey, onEvent, onDeprecated, gate, validate = contract.validate } = options;
  const logger: Logger = options.logger ?? { warn: console.warn };
  if (typeof apiKey !== 'function' && apiKey !== null) checkedKey(apiKey);
  const baseUrl = checkedBaseUrl(options.baseUrl);
  const { origin } = new URL(baseUrl, 'http://a');
  const policy = policyOf(defaults, options);
  // Looked up for each request, so that a replacement of the global works.
  const environment = { ...platform, fetch: options.fetch ?? ((request: Request) => globalThis.fetch(request)) };
  const { clock } = environment;
  const emit = guarded((event: ClientEvent) => {
    logger[/retry|gate/.test(event.type) ? 'info' : 'debug']?.(event.type, event);
    onEvent?.(event);
  });
  const share = () => shareAcrossTabs(`${contract.name} ${hashOf(baseUrl + apiKey)}`);
  const shared = gate ?? (typeof apiKey === 'function' ? undefined : share());
  const sender = createSender(apiKey, policy, environment, emit, shared || undefined, contract.authorize);
  const warn = ({ message }: DeprecationNotice) => logger.warn?.(message);
  const noticeDeprecation = deprecation(guarded(onDeprecated === false ? undefined : (onDeprecated ?? warn)));
  const { request, use, eject } = createFetchClient<AnyPaths>({
    baseUrl,
    headers: {
      // JSON if the operation can return it, and any other media type if it cannot.
      Accept: 'application/json, */*;q=0.1',
      // Browsers send their own, and some ask the API for permission to send another.
      ...(typeof location === 'undefined' ? { 'User-Agent': `${contract.name}-client/${contract.version}` } : {}),
    },
    // The API never redirects, and no other host may receive the key.
    redirect: 'manual',
    bodySerializer,
  });

  let calls = 0;

  async function call(verb: Verb, path: string, given: Init = {}): ReturnType<typeof read> {
    const operation = `${verb.toUpperCase()} ${path}`;
    const init = contract.withForm?.(given, contract.requestMediaTypes[operation]) ?? given;
    const { parseAs = 'json', body, fetch, deadline = policy.deadline } = init;
    // Not `instanceof`, because React Native has no ReadableStream.
    const isStreamed = Object(body).getReader !== undefined;
    const start = clock();
    const limit = limitWork(
      init.signal,
      systemSleep,
      deadline,
      () => new TimeoutError(`${operation} did not end within its deadline of ${deadline} ms.`),
    );
    const { signal } = limit;
    const number = ++calls;
    const headers = definedHeaders(init.headers);
    const facts: Call = {
      number,
      operation,
      policy,
      signal,
      fetch,
      parseAs,
      isStreamed,
      isAnonymous: Object.entries(headers).some(([name, value]) => value === null && /^authorization$/i.test(name)),
      start,
      end: start + deadline,
      attempts: 0,
      unconnected: 0,
    };
    let ending: object = {};
    emit({ type: 'start', call: number, operation });
    try {
      facts.policy = policyOf(policy, init);
      checkPath(path, init.params?.path);
      const key = contract.idempotentOperations.includes(operation) ? newIdempotencyKey() : undefined;
      const sending = request(verb, path, {
        // The Fetch standard requires this if the body is a stream.
        ...(isStreamed ? { duplex: 'half' } : {}),
        ...init,
        headers: {
          'Content-Type': body === undefined ? undefined : contract.requestMediaTypes[operation],
          'Idempotency-Key': init.idempotencyKey ?? key,
          ...headers,
        },
        // Each attempt has its own signal. Following the signal of the call here would take a second for 20,000 calls.
        signal: null,
        // Leaves successful responses to `read`, which returns an error if they violate the contract.
        parseAs: 'stream',
        async fetch(final: Request) {
          if (!final.url.startsWith(`${origin}/`)) throw new TypeError(`This client only sends requests to ${origin}.`);
          facts.idempotencyKey = final.headers.get('Idempotency-Key') ?? undefined;
          return sender.send(final, facts);
        },
      });
      const result = await limit.run(
        sending.then((received) => {
          noticeDeprecation(operation, received.response);
          const mayBeEmpty = contract.emptySuccesses?.includes(operation) ?? true;
          return read(received, facts, validate, mayBeEmpty, contract.readError);
        }),
      );
      ending = { status: result.response.status, code: result.error?.code };
      return result;
    } catch (thrown) {
      const error = thrownBy(facts, thrown);
      ending = { error };
      throw error;
    } finally {
      void limit.release(facts.streaming);
      emit({ type: 'end', call: number, duration: clock() - start, ...factsOf(facts), ...ending });
    }
  }

  const methods = verbs.map((verb) => [verb.toUpperCase(), (path: string, init?: Init) => call(verb, path, init)]);
  return {
    ...Object.fromEntries(methods),
    request: call,
    use,
    eject,
    get rateLimit() {
      return sender.rateLimit();
    },
    resume: sender.resume,
  };
}

/** JSON, unless the request names another media type: then the body is sent unchanged. */
function bodySerializer(body: unknown, headers?: Headers): unknown {
  return isJson(headers?.get('Content-Type') ?? 'application/json') ? defaultBodySerializer(body) : body;
}

/** Headers as an object: openapi-fetch does not read arrays, and null must remain, because it removes a header. */
function definedHeaders(headers: HeadersOptions = {}): Record<string, HeaderValue> {
  const entries = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
