import type { CallOptions, DataOf } from '../methods.ts';
import {
  type ItemAt,
  type Listing,
  linkPager,
  listing,
  type Page,
  type Pager,
  type Paging,
  pageOf,
} from '../paging.ts';
import { isSuccess, type Result, requestIdOf, unwrap } from '../unwrap.ts';

export { pagerOf } from '../paging.ts';

/** The part of a client that sends requests. */
export type Caller = { readonly request: object };

/** The properties of an operation that its named method needs. */
export type RequestFacts = {
  readonly method: string;
  readonly path: string;
  /** The names of its parameters in the query and in headers. */
  readonly query?: readonly string[];
  readonly headers?: readonly string[];
  /** The names of the parameters that have another one as arguments, because the body or another parameter has theirs. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Whether the operation takes an `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /** How to read the response if it is never JSON. */
  readonly parseAs?: 'text' | 'blob' | 'stream';
  /** How its pages continue, if it is a list but not a JSON array with a `Link` header. */
  readonly paging?: Paging;
};

/** The data of a call with its response, for the headers. */
export type WithResponse<Data> = {
  data: Data;
  response: Response;
  /** Include it when you report a problem. */
  requestId: string | undefined;
};

/** Resolves to the data of the response. Rejects with an ApiError, a RateLimitError or a NetworkError. */
export type Call<Data> = Promise<Data> & {
  /** The same, with the response. */
  withResponse(): Promise<WithResponse<Data>>;
};

/**
 * `await` requests the first page; `for await` iterates over the items of all pages, from the first one each time. `Data` is the body of
 * a page whose items are not the whole of it.
 */
export type ListCall<Item, Data = Page<Item>> = Call<Data> & Listing<Item>;

/** The type of the items of a list operation, at the end of a path of keys in its body. */
export type ItemOf<Op extends Record<string, unknown>, Keys extends readonly string[] = []> = ItemAt<DataOf<Op>, Keys>;

/** Makes the reader of the pages of an operation whose facts have `paging`. */
export type PagerOf = (paging: Paging) => Pager;

/** Sends a request. */
export function call<Data>(client: Caller, facts: RequestFacts, params?: object, options?: CallOptions): Call<Data> {
  return callOf(send<Data>(client, facts, params, options));
}

/**
 * Requests a list when it is awaited or iterated over, so that an iteration does not request its first page twice.
 *
 * @param readerOf `pagerOf` if the facts have `paging`: the other lists do not need its code
 */
export function list<Item, Data = Page<Item>>(
  client: Caller,
  facts: RequestFacts,
  params?: object,
  options?: CallOptions,
  readerOf?: PagerOf,
): ListCall<Item, Data> {
  const pager = pagerFor(facts, readerOf);
  const first = initOf(facts, params ?? {});
  const load = (init: object) => send<unknown>(client, facts, params, options, init);
  let sent: Call<Data> | undefined;
  const firstPage = (): Call<Data> => {
    sent ??= callOf(load(first).then((result) => withCursor<Data>(result, pager, first)));
    return sent;
  };
  return {
    ...listing<Item>(first, load, pager),
    // biome-ignore lint/suspicious/noThenProperty: it is a promise that sends its request when it is first awaited.
    then: (onFulfilled, onRejected) => firstPage().then(onFulfilled, onRejected),
    catch: (onRejected) => firstPage().catch(onRejected),
    finally: (onFinally) => firstPage().finally(onFinally),
    withResponse: () => firstPage().withResponse(),
    [Symbol.toStringTag]: 'ListCall',
  };
}

/** The reader of the pages of an operation. */
export function pagerFor({ paging }: RequestFacts, readerOf?: PagerOf): Pager {
  return (paging && readerOf?.(paging)) ?? linkPager;
}

/** The first page: the items with `nextCursor`, or the body that they are in. */
function withCursor<Data>(result: Result<unknown>, pager: Pager, init: object): Result<Data> {
  if (!isSuccess(result)) return { error: result.error, response: result.response };
  const { response } = result;
  const data = response.status === 304 ? [] : result.data;
  const { items, cursor } = pager.read(data, response, init);
  // The contract promises the type of the data.
  return { response, data: (items === data ? pageOf(items, cursor) : data) as Data };
}

function callOf<Data>(result: Promise<Result<Data>>): Call<Data> {
  const data = unwrap(result);
  async function withResponse(): Promise<WithResponse<Data>> {
    // Callers may handle only the promise of this function, which rejects for the same reason as `data`.
    data.catch(() => {});
    const { response } = await result;
    return { data: await data, response, requestId: requestIdOf(response) };
  }
  return Object.assign(data, { withResponse });
}

const optionNames: readonly string[] = [
  'timeout',
  'deadline',
  'maxRetries',
  'maxRetryAfter',
  'signal',
  'headers',
  'idempotencyKey',
] satisfies (keyof CallOptions)[];

/** Sends a request without the types of the contract: the named methods have them. */
export async function send<Data>(
  client: Caller,
  facts: RequestFacts,
  params: object = {},
  options: CallOptions = {},
  init: object = initOf(facts, params),
): Promise<Result<Data>> {
  // TypeScript does not report a misspelled option if the options are not an object literal.
  const unknown = Object.keys(options).find((name) => !optionNames.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(
      `\`${unknown}\` is not an option of a call. Use ${optionNames.map((name) => `\`${name}\``).join(', ')}.`,
    );
  }
  const { request } = client as unknown as { request: (...parameters: unknown[]) => Promise<Result<Data>> };
  return request(facts.method, facts.path, { ...options, ...init });
}

/**
 * The parameters of a named method as `GET` takes them.
 *
 * @throws TypeError if the operation has no such parameter: what belongs to the body must not be in the URL, which servers log
 */
export function initOf({ path, query = [], headers = [], renamed, parseAs }: RequestFacts, params: object): object {
  const { body, ...parameters }: Record<string, unknown> = { ...params };
  const places: Record<string, Record<string, unknown>> = {};
  const names = new Map(Object.entries(renamed ?? {}));
  for (const [name, value] of Object.entries(parameters)) {
    const sent = names.get(name) ?? name;
    const place = query.includes(name) ? 'query' : headers.includes(name) ? 'header' : 'path';
    if (place === 'path' && !path.includes(`{${sent}}`)) {
      throw new TypeError(`\`${name}\` is not a parameter of ${path}. Pass the properties of a body in \`body\`.`);
    }
    if (value !== undefined) places[place] = { ...places[place], [sent]: value };
  }
  return {
    ...(Object.keys(places).length > 0 ? { params: places } : {}),
    ...(body === undefined ? {} : { body }),
    ...(parseAs === undefined ? {} : { parseAs }),
  };
}
