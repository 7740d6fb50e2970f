import { stringify } from 'lossless-json';
import type { FuzzedOperation } from './contract.ts';

/** A body before it is encoded. JSON numbers keep their spelling. */
export type Body = { json: unknown } | { text: string } | { bytes: Uint8Array };

/** A request by its parts, before they are written as HTTP. */
export type RequestParts = {
  method: string;
  path: Record<string, string>;
  query: [name: string, value: string][];
  headers: [name: string, value: string][];
  body: Body | undefined;
  contentType: string | undefined;
  /** Pads the body with spaces to that many bytes. */
  bodyBytes?: number | undefined;
  /** Sent without a Content-Length. */
  isChunked?: boolean;
};

/** A request as it is sent, without the API key. */
export type HttpRequest = {
  method: string;
  /** Path and query. */
  target: string;
  headers: [name: string, value: string][];
  body: string | Uint8Array | undefined;
  /** The number of spaces after the body. */
  padding?: number;
  isChunked?: boolean;
};

export function toHttp({ path }: FuzzedOperation, parts: RequestParts): HttpRequest {
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(parts.path[name] ?? ''));
  const query = parts.query
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  const type: HttpRequest['headers'] = parts.contentType === undefined ? [] : [['Content-Type', parts.contentType]];
  const body = parts.body === undefined ? undefined : encoded(parts.body);
  const missing = (parts.bodyBytes ?? 0) - (body === undefined ? 0 : Buffer.byteLength(body));
  return {
    method: parts.method,
    target: query === '' ? filled : `${filled}?${query}`,
    headers: [...type, ...parts.headers],
    body,
    ...(missing > 0 ? { padding: missing } : {}),
    ...(parts.isChunked === true ? { isChunked: true } : {}),
  };
}

function encoded(body: Body): string | Uint8Array {
  if ('bytes' in body) return body.bytes;
  return 'text' in body ? body.text : (stringify(body.json) ?? '');
}

/** The parts with one parameter set or removed. */
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
