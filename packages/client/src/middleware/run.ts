import type { MaybePromise } from '../options.ts';

/** What a middleware knows about a call. */
export type MiddlewareCall = {
  request: Request;
  /** The path as in the contract: `/pets/{petId}`. */
  readonly schemaPath: string;
  readonly params: { query?: object; path?: object; header?: object };
  /** Identifies the call. */
  readonly id: string;
};

/** Sees each call once, whatever the number of attempts. */
export type Middleware = {
  /** May return another request, or the response. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most middlewares only look, and return nothing
  onRequest?: (call: MiddlewareCall) => MaybePromise<Request | Response | undefined | void>;
  /** May return another response. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most middlewares only look, and return nothing
  onResponse?: (call: MiddlewareCall & { response: Response }) => MaybePromise<Response | undefined | void>;
  /** May return another error, or a response. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most middlewares only look, and return nothing
  onError?: (call: MiddlewareCall & { error: unknown }) => MaybePromise<Response | Error | undefined | void>;
};

/**
 * Sends a request through middlewares, in the way of openapi-fetch: `onRequest` in their order, then `onResponse` or `onError` in reverse
 * order. A middleware may replace the request, the response or the error, or respond instead of the API.
 */
export async function runMiddleware(
  middlewares: readonly Middleware[],
  given: Request,
  about: Omit<MiddlewareCall, 'request'>,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  let request = given;
  for (const { onRequest } of middlewares) {
    const result = await onRequest?.({ ...about, request });
    if (result instanceof Response) return result;
    request = result ?? request;
  }
  const backwards = [...middlewares].reverse();
  let response = await send(request).catch(async (thrown: unknown) => {
    let error = thrown;
    for (const { onError } of backwards) {
      const result = await onError?.({ ...about, request, error });
      if (result instanceof Response) return result;
      error = result ?? error;
    }
    throw error;
  });
  for (const { onResponse } of backwards) response = (await onResponse?.({ ...about, request, response })) ?? response;
  return response;
}
