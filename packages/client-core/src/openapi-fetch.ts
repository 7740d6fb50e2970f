/**
 * Everything that the client uses of openapi-fetch, which is no longer updated. To replace the package, replace this
 * module: `test/openapi-fetch.test.ts` tests the behaviour that the client relies on.
 */
export type {
  Client as FetchClient,
  ClientPathsWithMethod,
  FetchOptions,
  FetchResponse,
  HeadersOptions,
  Middleware,
  MiddlewareCallbackParams,
  ParseAs,
} from 'openapi-fetch';
export { default as createFetchClient, defaultBodySerializer } from 'openapi-fetch';
