import { stringify } from 'lossless-json';
import type { FuzzedOperation } from './contract.ts';

/** A request by its parts, before they are written as HTTP. */
export type RequestParts = {
  method: string;
  path: Record<string, string>;
  query: [name: string, value: string][];
  headers: [name: string, value: string][];
  /** JSON, its numbers as they are spelled; undefined for none. */
  body: unknown;
  contentType: string | undefined;
};

/** A request as it is sent, but for the API key. */
export type HttpRequest = {
  method: string;
  /** Path and query. */
  target: string;
  headers: [name: string, value: string][];
  body: string | undefined;
};

export function toHttp({ path }: FuzzedOperation, parts: RequestParts): HttpRequest {
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(parts.path[name] ?? ''));
  const query = parts.query
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  const type: HttpRequest['headers'] = parts.contentType === undefined ? [] : [['Content-Type', parts.contentType]];
  return {
    method: parts.method,
    target: query === '' ? filled : `${filled}?${query}`,
    headers: [...type, ...parts.headers],
    body: parts.body === undefined ? undefined : stringify(parts.body),
  };
}

/** The parts with one parameter set, or taken away. */
export function withParameter(
  parts: RequestParts,
  { in: place, name }: { in: 'query' | 'path' | 'header'; name: string },
  values: string[],
): RequestParts {
  if (place === 'path') return { ...parts, path: { ...parts.path, [name]: values[0] ?? '' } };
  const given = values.map((value): [string, string] => [name, value]);
  const others = (entries: [string, string][]) => entries.filter(([other]) => other !== name);
  if (place === 'query') return { ...parts, query: [...others(parts.query), ...given] };
  return { ...parts, headers: [...others(parts.headers), ...given] };
}
