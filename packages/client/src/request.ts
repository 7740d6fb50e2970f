import { isJson } from './headers/media-type.ts';
import { type HeadersOptions, mergeHeaders, type ParseAs, serializeQuery, urlOf } from './openapi-fetch.ts';
import type { CallPolicy, Surroundings } from './options.ts';

type Params = { query?: Record<string, unknown>; path?: Record<string, unknown>; header?: Record<string, HeaderValue> };
type HeaderValue = string | number | boolean | (string | number | boolean)[] | null | undefined;

/** The arguments of a call after its path: those of openapi-fetch, and ours. */
export type Init = CallPolicy &
  Omit<RequestInit, 'body' | 'headers'> & {
    params?: Params;
    body?: unknown;
    headers?: HeadersOptions;
    parseAs?: ParseAs;
    baseUrl?: string;
    querySerializer?: (query: object) => string;
    fetch?: Surroundings['fetch'];
  };

/** What all requests of a client have in common. */
export type Common = {
  baseUrl: string;
  headers: HeadersOptions;
  /** The media types of bodies that are not `application/json`, by method and path. */
  requestMediaTypes: Readonly<Record<string, string>>;
};

/** The request of a call. */
export function requestOf(method: string, path: string, init: Init, common: Common): Request {
  const { params = {}, body, headers, idempotencyKey } = init;
  const { querySerializer = serializeQuery, baseUrl = common.baseUrl } = init;
  const all = mergeHeaders(
    body === undefined || body instanceof FormData
      ? {}
      : { 'Content-Type': common.requestMediaTypes[`${method} ${path}`] ?? 'application/json' },
    common.headers,
    { 'Idempotency-Key': idempotencyKey },
    headers,
    params.header,
  );
  return new Request(urlOf(baseUrl + path, params.path ?? {}, querySerializer(params.query ?? {})), {
    // The API never redirects, and no other host may get the key.
    redirect: 'manual',
    ...init,
    // Each attempt has a signal of its own. To follow that of the call here takes a second for 20,000 calls.
    signal: null,
    // The Fetch standard requires this if the body is a stream.
    ...(body instanceof ReadableStream && { duplex: 'half' }),
    method,
    headers: all,
    body: body === undefined ? null : serializeBody(body, all),
  });
}

/** JSON, unless the request names another media type: then the body is sent unchanged. */
function serializeBody(body: unknown, headers: Headers): BodyInit {
  return isJson(headers.get('Content-Type') ?? '') ? JSON.stringify(body) : (body as BodyInit);
}
