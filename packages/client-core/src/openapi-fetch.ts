/**
 * Everything that the client uses of openapi-fetch, which is no longer updated: to replace the package, replace this module.
 * `test/openapi-fetch.test.ts` tests the behaviour that the client relies on.
 */
export type {
  Client as FetchClient,
  FetchOptions,
  FetchResponse,
  HeadersOptions,
  Middleware,
  MiddlewareCallbackParams,
  ParseAs,
} from 'openapi-fetch';
export { default as createFetchClient, defaultBodySerializer } from 'openapi-fetch';
