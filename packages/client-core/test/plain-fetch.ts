/**
 * What `src/openapi-fetch.ts` exports, without openapi-fetch. Not published: `npm run plain-fetch` puts it in the place of that file and runs
 * the tests of the client.
 */
type Value = string | number | boolean;
type Values = Record<string, unknown>;
export type HeadersOptions = NonNullable<RequestInit['headers']> | Record<string, Value | Value[] | null | undefined>;
export type ParseAs = keyof Parsed<unknown>;
type Parsed<Json> = { json: Json; text: string; blob: Blob; arrayBuffer: ArrayBuffer; stream: Response['body'] };

/** How lists and objects are written in the query. Default: each item and each property as a parameter, `id=1&id=2` and `size[min]=3`. */
type QueryOptions = {
  array?: { style: 'form' | 'spaceDelimited' | 'pipeDelimited'; explode: boolean };
  object?: { style: 'form' | 'deepObject'; explode: boolean };
  allowReserved?: boolean;
};
type Settings<Body = unknown> = {
  baseUrl: string;
  fetch: (request: Request) => Promise<Response>;
  pathSerializer: (path: string, values: Values) => string;
  bodySerializer: (body: Body, headers?: Headers) => unknown;
};

/** The options of a client, which a call may replace. */
type ClientOptions<Query = Values, Body = unknown> = Partial<Settings<Body>> & {
  headers?: HeadersOptions;
  querySerializer?: ((query: Query) => string) | QueryOptions;
} & Omit<RequestInit, 'body' | 'headers'>;

/** The options of a call of an operation. */
export type FetchOptions<Op> = ParamsOf<Op> &
  BodyOf<Op> &
  ClientOptions<QueryOf<Op>, BodyOf<Op>['body']> & { parseAs?: ParseAs; middleware?: Middleware[] };

// Without `infer`, so that these types are `any` for `any`, as those of openapi-fetch are.
type ParamsOf<Op> = Op extends { parameters: unknown }
  ? Record<never, never> extends Op['parameters']
    ? { params?: Op['parameters'] }
    : { params: Op['parameters'] }
  : { params?: { query?: Values } };
type QueryOf<Op> = Op extends { parameters: { query?: infer Query } } ? NonNullable<Query> : Values;

type BodyOf<Op> = Op extends { requestBody: unknown }
  ? { body: ContentOf<Op['requestBody']> }
  : 'requestBody' extends keyof Op
    ? { body?: ContentOf<NonNullable<Op['requestBody']>> | undefined }
    : { body?: never };

type ContentOf<Body> = Body extends { content: unknown } ? ValueOf<Body['content'], `${string}/${string}`> : never;
type ValueOf<Content, Media> = Content[keyof Content & Media];

/** The result of a call: the data of the media types `Media` of a success, or of all if it has none of them. */
export type FetchResponse<Op extends Values, Init, Media> =
  | { data: DataOf<MediaOf<SuccessOf<Op['responses']>, Media>, Init>; error?: never; response: Response }
  | { data?: never; error: unknown; response: Response };
type DataOf<Json, Init> = Init extends { parseAs: infer As extends ParseAs } ? Parsed<Json>[As] : Json;
type SuccessOf<All> = All[keyof All & (200 | 201 | 202 | 203 | 204 | 206 | 207 | '2XX')];
type MediaOf<Success, Media> = Success extends { content: unknown }
  ? [keyof Success['content'] & Media] extends [never]
    ? Success['content']
    : ValueOf<Success['content'], Media>
  : undefined;
type Params = { query?: Values; header?: Values; path?: Values; cookie?: Values };
/** `id` identifies the call, and `schemaPath` is its path in the contract. */
export type MiddlewareCallbackParams = {
  request: Request;
  readonly schemaPath: string;
  readonly params: Params;
  readonly id: string;
  readonly options: Readonly<Settings & { parseAs: ParseAs; querySerializer: (query: Values) => string }>;
};

type Hook<Extra, Result> = (params: MiddlewareCallbackParams & Extra) => Returned<Result> | Returned<void>;
type Returned<Result> = Result | undefined | Promise<Result | undefined>;
type Hooks = {
  /** Returns another request, or the response of a request that is then not sent. */
  onRequest: Hook<unknown, Request | Response>;
  onResponse: Hook<{ response: Response }, Response>;
  onError: Hook<{ error: unknown }, Response | Error>;
};
export type Middleware = { [Name in keyof Hooks]: Pick<Hooks, Name> & Partial<Hooks> }[keyof Hooks];

export type FetchClient<_Paths extends object> = {
  /** Returns the body of a failure as `error`; its caller reads that of a success. */
  request: (method: string, path: string, options: AnyOptions) => Promise<{ response: Response; error?: unknown }>;
  use: (...middleware: Middleware[]) => void;
  eject: (...middleware: Middleware[]) => void;
};
type AnyOptions = FetchOptions<{ parameters: Params; requestBody?: { content: Record<'any/any', unknown> } }>;

export function createFetchClient<Paths extends object>(client: ClientOptions): FetchClient<Paths> {
  const all: Middleware[] = [];

  async function request(method: string, schemaPath: string, { params = {}, body: value, ...given }: AnyOptions) {
    const { querySerializer: query, middleware = [], ...chosen } = { fetch: globalThis.fetch, ...client, ...given };
    const { fetch, parseAs = 'json', bodySerializer = defaultBodySerializer, ...rest } = chosen;
    const { pathSerializer = pathOf, headers: _, ...init } = rest;
    const baseUrl = (init.baseUrl ?? '').replace(/\/$/, '');
    const querySerializer = typeof query === 'function' ? query : queryOf(query);
    const headers = [client.headers, given.headers, params.header];
    const body = value === undefined ? undefined : bodySerializer(value, headersOf(headers));
    const json = { 'Content-Type': body === undefined || body instanceof FormData ? undefined : 'application/json' };
    const url = params.path ? pathSerializer(baseUrl + schemaPath, params.path) : baseUrl + schemaPath;
    const search = querySerializer(params.query ?? {}).replace(/^(?=[^?])/, '?');
    const sent = { redirect: 'follow', ...init, method: method.toUpperCase(), body };
    const call = {
      request: new Request(url + search, Object({ ...sent, headers: headersOf([json, ...headers]) })),
      ...{ schemaPath, params, id: Math.random().toString(36).slice(2) },
      options: Object.freeze({ baseUrl, fetch, parseAs, querySerializer, pathSerializer, bodySerializer }),
    };
    const response = await send(call, [...all, ...middleware]);
    if (response.ok) return { response };
    const text = await response.text();
    return { response, error: text === '' ? undefined : await parse(text).catch(() => text) };
  }

  return {
    request,
    use: (...middleware) => void all.push(...middleware),
    eject(...middleware) {
      for (const one of middleware) if (all.includes(one)) all.splice(all.indexOf(one), 1);
    },
  };
}

/** Runs the middleware in its order before the request, and in the reverse order after it. */
async function send(call: MiddlewareCallbackParams, all: Middleware[]): Promise<Response> {
  for (const one of all) {
    const result = await one.onRequest?.(call);
    if (result instanceof Response) return result;
    call.request = result ?? call.request;
  }
  const back = [...all].reverse();
  const sent = Promise.resolve(call.request).then(call.options.fetch);
  let response = await sent.catch(async (error: unknown) => {
    for (const one of back) {
      const result = await one.onError?.({ ...call, error });
      if (result instanceof Response) return result;
      error = result ?? error;
    }
    throw error;
  });
  for (const one of back) response = (await one.onResponse?.({ ...call, response })) ?? response;
  return response;
}

/** JSON, or a form, which the platform serialises. */
export function defaultBodySerializer(body: unknown): unknown {
  return body instanceof FormData ? body : JSON.stringify(body);
}

/** Later headers replace earlier ones, and `null` removes one. */
function headersOf(all: (HeadersOptions | Values | undefined)[]): Headers {
  const headers = new Headers();
  const pairs = all.flatMap((given = {}) => (given instanceof Headers ? [...given] : Object.entries(given)));
  for (const [name, value] of pairs) {
    if (value !== undefined) headers.delete(name);
    for (const one of listOf(value)) headers.append(name, String(one));
  }
  return headers;
}

const parse = async (text: string): Promise<unknown> => JSON.parse(text);
/** A value as a list without undefined and null. */
const listOf = (value: unknown): unknown[] => [value].flat().filter((one) => one !== undefined && one !== null);

function encode(value: unknown): string {
  if (typeof value === 'object')
    throw new TypeError('Lists and objects in lists and objects need their own `querySerializer`.');
  return encodeURIComponent(String(value));
}

/** Replaces `{id}`. Items of a list, and names and values of an object, are separated by commas. */
function pathOf(path: string, values: Values): string {
  return path.replace(/\{([^{}]+)\}/g, (match, name: string) => {
    const items = listOf(values[name]).flatMap((one) =>
      typeof one === 'object' ? Object.entries(Object(one)).flat() : one,
    );
    return items.length ? items.map(encode).join(',') : match;
  });
}

function queryOf({ array, object, allowReserved }: QueryOptions = {}): (query: Values) => string {
  const write = allowReserved ? String : encode;
  const delimiters: Record<string, string> = { spaceDelimited: '%20', pipeDelimited: '|' };
  const given = (values: object) => Object.entries(values).filter(([, value]) => listOf(value).length);
  const written = ([name, value]: [string, unknown]): string | string[] => {
    if (typeof value !== 'object' || Array.isArray(value)) {
      const { style, explode } = { style: 'form', explode: true, ...array };
      const items = listOf(value).map(write);
      return `${name}=${items.join(explode ? `&${name}=` : (delimiters[style] ?? ','))}`;
    }
    const { style, explode } = { style: 'deepObject', explode: true, ...object };
    const properties = given(Object(value));
    if (style === 'deepObject') return properties.map(([key, one]) => `${name}[${key}]=${write(one)}`);
    if (explode) return properties.map(([key, one]) => `${key}=${write(one)}`);
    return `${name}=${properties.map(([key, one]) => `${key},${write(one)}`)}`;
  };
  return (query) => given(query).flatMap(written).join('&');
}
