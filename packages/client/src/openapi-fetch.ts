/**
 * Everything that the client uses of openapi-fetch, which gets no more updates: its types, and what it does at run time as far as a
 * contract needs it that passes `npm run check` (lists as `?id=1&id=2`, other parameters as plain values). To replace the package, replace
 * the types.
 */
import type { HeadersOptions } from 'openapi-fetch';

export type {
  Client,
  ClientPathsWithMethod,
  FetchOptions,
  FetchResponse,
  HeadersOptions,
  ParseAs,
} from 'openapi-fetch';

/** The URL of a path of the contract with its parameters. */
export function urlOf(url: string, path: Record<string, unknown>, query: string): string {
  const filled = url.replace(/\{(\w+)\}/g, (whole, name) => (name in path ? encode(path[name]) : whole));
  return query ? `${filled}?${query}` : filled;
}

/** The query of a URL: each value of a list is a parameter of its own. Undefined and null are left out. */
export function serializeQuery(query: object): string {
  const parameters = ([name, values]: [string, unknown]) =>
    [values].flat().flatMap((value) => (value === undefined || value === null ? [] : `${name}=${encode(value)}`));
  return Object.entries(query).flatMap(parameters).join('&');
}

function encode(value: unknown): string {
  return encodeURIComponent(`${value}`);
}

/** Headers of several sources; the later one counts. `null` removes a header, undefined keeps it. */
export function mergeHeaders(...sources: (HeadersOptions | undefined)[]): Headers {
  const merged = new Headers();
  for (const source of sources) {
    for (const [name, value] of source instanceof Headers ? source : Object.entries(source ?? {})) {
      if (value === null) merged.delete(name);
      else if (value !== undefined) merged.set(name, `${value}`);
    }
  }
  return merged;
}
