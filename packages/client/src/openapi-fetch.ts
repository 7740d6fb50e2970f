/** Everything that the client uses of openapi-fetch, which gets no more updates. To replace the package, replace this module. */
export type {
  Client,
  ClientPathsWithMethod,
  FetchOptions,
  FetchResponse,
  HeadersOptions,
  Middleware,
  ParseAs,
} from 'openapi-fetch';
export { default as createClient, defaultBodySerializer, mergeHeaders } from 'openapi-fetch';
