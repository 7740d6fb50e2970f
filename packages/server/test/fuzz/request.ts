import fc, { type Arbitrary } from 'fast-check';
import { stringify } from 'lossless-json';
import type { FuzzedMedia, FuzzedOperation, FuzzedParameter } from './contract.ts';
import { headerAlphabet, textAlphabet } from './scalars.ts';
import { identityOf, type Schema, textsOf, typeOf, valuesOf } from './schema.ts';

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

/**
 * Values of parameters that only the API can assign, such as those of `query/cursor`. A schema cannot distinguish them
 * from made-up ones, so they are taken from earlier responses.
 */
export type GivenValues = ReadonlyMap<string, readonly string[]>;

/** The parameters that accept only values from the API. A made-up value is refused. */
export const opaqueParameters: ReadonlySet<string> = new Set(['query/cursor']);

/** Every request to an operation that is valid by contract. */
export function validRequests(operation: FuzzedOperation, given: GivenValues): Arbitrary<RequestParts> {
  return fc
    .record({
      method: fc.constant(operation.method),
      path: parametersIn(operation, 'path', given).map((entries) => Object.fromEntries(entries)),
      query: parametersIn(operation, 'query', given),
      headers: parametersIn(operation, 'header', given),
      payload: payloadsOf(operation),
    })
    .map(({ payload, ...parts }) => ({ ...parts, ...payload }));
}

type Payload = Pick<RequestParts, 'body' | 'contentType'>;

function payloadsOf({ body }: FuzzedOperation): Arbitrary<Payload> {
  const none: Arbitrary<Payload> = fc.constant({ body: undefined, contentType: undefined });
  if (body === undefined) return none;
  const some = fc.oneof(...body.media.map(payloadsOfMedia));
  return body.required ? some : fc.oneof({ weight: 3, arbitrary: some }, { weight: 1, arbitrary: none });
}

/** Every valid body of a media type. RFC 9110 8.3.1 makes type and charset case-insensitive. */
export function payloadsOfMedia({ type, schema }: FuzzedMedia): Arbitrary<Payload> {
  const spellings = [type, `${type}; charset=utf-8`, `${upperCase(type)};charset="UTF-8"`];
  return fc.record({ body: valuesOf(schema).map((json) => ({ json })), contentType: fc.constantFrom(...spellings) });
}

function upperCase(type: string): string {
  return type.replace(/^[a-z]/, (letter) => letter.toUpperCase()).replace(/json$/, 'JSON');
}

/** The parameters of one place in any order. Optional ones are sometimes left out. */
function parametersIn(
  { parameters }: FuzzedOperation,
  place: FuzzedParameter['in'],
  given: GivenValues,
): Arbitrary<[name: string, value: string][]> {
  const entries = parameters
    .filter((parameter) => parameter.in === place)
    .flatMap((parameter) => {
      const values = parameterValues(parameter, given);
      if (values === undefined) return [];
      const entry = values.map((texts) => texts.map((text): [string, string] => [parameter.name, text]));
      if (place === 'path' || parameter.required) return [entry];
      // Without its precondition, a request is refused. Another kind tests this, so it is rare here.
      const weights = parameter.name === 'If-Match' ? { some: 9, none: 1 } : { some: 4, none: 1 };
      return [
        fc.oneof({ weight: weights.some, arbitrary: entry }, { weight: weights.none, arbitrary: fc.constant([]) }),
      ];
    });
  return fc
    .tuple(fc.tuple(...entries), fc.boolean())
    .map(([all, isReversed]) => (isReversed ? all.toReversed() : all).flat());
}

/** The texts of a parameter: one, or several for a list. Undefined for an opaque parameter without a known value. */
export function parameterValues(parameter: FuzzedParameter, given: GivenValues): Arbitrary<string[]> | undefined {
  const where = placeOf(parameter);
  const known = given.get(where) ?? [];
  if (opaqueParameters.has(where)) return known.length === 0 ? undefined : one(fc.constantFrom(...known));
  const values = madeUpValues(parameter);
  // Few ETags match a resource, but "*" always does.
  if (where === 'header/If-Match')
    return fc.oneof({ weight: 3, arbitrary: one(fc.constant('*')) }, { weight: 1, arbitrary: values });
  return known.length === 0 ? values : fc.oneof(values, one(fc.constantFrom(...known)));
}

export function madeUpValues({ in: place, schema }: FuzzedParameter): Arbitrary<string[]> {
  if (typeOf(schema) !== 'array') return one(sendable(place, schema));
  const { items = {}, minItems = 0, maxItems = minItems + 5, uniqueItems } = schema;
  // A parameter without any value is not sent at all.
  const lengths = { minLength: Math.max(1, minItems), maxLength: Math.min(maxItems, minItems + 20) };
  const texts = sendable(place, items);
  return uniqueItems === true
    ? fc.uniqueArray(texts, { ...lengths, selector: identityOf })
    : fc.array(texts, { ...lengths });
}

/**
 * An empty value is refused in a query. In a path, an empty value and the segments "." and ".." result in another path.
 */
function sendable(place: FuzzedParameter['in'], schema: Schema): Arbitrary<string> {
  const texts = textsOf(schema, place === 'header' ? headerAlphabet : textAlphabet);
  if (place === 'header' || typeOf(schema) !== 'string') return texts;
  return texts.filter((text) => text !== '' && (place === 'query' || !/^\.{1,2}$/.test(text)));
}

function one(texts: Arbitrary<string>): Arbitrary<string[]> {
  return texts.map((text) => [text]);
}

export function placeOf({ in: place, name }: FuzzedParameter): string {
  return `${place}/${name}`;
}
