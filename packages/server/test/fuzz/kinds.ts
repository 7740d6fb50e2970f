import { METHODS } from 'node:http';
import fc, { type Arbitrary } from 'fast-check';
import type { FuzzedMedia, FuzzedOperation, FuzzedParameter } from './contract.ts';
import {
  type GivenValues,
  madeUpValues,
  opaqueParameters,
  parameterValues,
  payloadsOfMedia,
  placeOf,
  type RequestParts,
  validRequests,
  withParameter,
} from './request.ts';
import { headerAlphabet, textAlphabet } from './scalars.ts';
import { typeOf } from './schema.ts';
import { textViolationsOf, type Violation, violationsOf } from './violations.ts';

/** The response that the contract requires for a request. */
export type Promised =
  /** A valid request: it succeeds, or the stored data explain the refusal. `type` is the media type of the successful response. */
  | { kind: 'accepted'; type?: string }
  /**
   * `where` is the place that `details` names; undefined if the error has no details. With `below`, places below it are
   * accepted as well. The message must contain all of `names`.
   */
  | { kind: 'refused'; status: number; code: string; where?: string; below?: boolean; names?: string[] }
  /** Refused with that status, unless the stored data explain another refusal. */
  | { kind: 'declined'; status: number; code: string };

/** One kind of request to an operation: a valid one, or one with exactly one problem. */
export type Kind = {
  name: string;
  promised: Promised;
  requests: Arbitrary<RequestParts>;
  /** The maximum number of these requests, because they are large. */
  most?: number;
};

/** Every kind of request to an operation, the valid ones first. */
export function kindsOf(operation: FuzzedOperation, given: GivenValues): Kind[] {
  const valid = validRequests(operation, given);
  return [
    { name: 'valid', promised: accepted, requests: valid },
    ...(operation.method === 'GET' ? [headKind(valid)] : []),
    ...operation.parameters.flatMap((parameter) => parameterKinds(parameter, valid, given)),
    ...unknownQuery(operation, valid),
    unknownHeaders(operation, valid),
    ...preconditionKinds(operation, valid),
    ...acceptKinds(operation, valid),
    ...(operation.body === undefined ? [] : bodyKinds(operation.body, valid)),
    undefinedMethod(operation, valid),
  ];
}

const accepted: Promised = { kind: 'accepted' };

function headKind(valid: Arbitrary<RequestParts>): Kind {
  const requests = valid.map((parts) => ({ ...parts, method: 'HEAD' }));
  return { name: 'valid HEAD', promised: accepted, requests };
}

function parameterKinds(parameter: FuzzedParameter, valid: Arbitrary<RequestParts>, given: GivenValues): Kind[] {
  const where = placeOf(parameter);
  const set = (parts: RequestParts, values: string[]) => withParameter(parts, parameter, values);
  // An empty segment would result in another path.
  const isSendable = ([value]: string[]) => parameter.in !== 'path' || value !== '';
  const wrong = parameterViolations(parameter, where)
    .flatMap((violation) => narrowed(violation, isSendable))
    .map((violation) => changed(violation, valid, violation.values, set));
  const madeUp = madeUpValues(parameter);
  const usable = parameterValues(parameter, given) ?? madeUp;
  const isList = typeOf(parameter.schema) === 'array';
  const twice = fc.tuple(usable, usable).map((both) => both.flat());
  return [
    ...wrong,
    ...(opaqueParameters.has(where) ? [changed({ word: 'made up', where }, valid, madeUp, set)] : []),
    ...(parameter.in === 'query' && !isList ? [changed({ word: 'twice', where }, valid, twice, set)] : []),
    ...(parameter.in === 'query' ? [changed({ word: 'empty', where }, valid, fc.constant<string[]>(['']), set)] : []),
    ...(parameter.required && parameter.in !== 'path' && parameter.name !== 'If-Match'
      ? [changed({ word: 'required', where }, valid, fc.constant<string[]>([]), set)]
      : []),
  ];
}

/** A violation with those of its values that can be sent; empty if there are none. */
function narrowed<Value>(violation: Violation<Value>, isSendable: (value: Value) => boolean): Violation<Value>[] {
  if (!fc.sample(violation.values, { numRuns: 50, seed: 1 }).some(isSendable)) return [];
  return [{ ...violation, values: violation.values.filter(isSendable) }];
}

/** The violations of each constraint of a parameter. The texts of a list are sent one by one. */
function parameterViolations({ in: place, schema }: FuzzedParameter, where: string): Violation<string[]>[] {
  const alphabet = place === 'header' ? headerAlphabet : textAlphabet;
  const inside = typeOf(schema) === 'array' ? schema.items : undefined;
  const texts = textViolationsOf(inside ?? schema, where, alphabet).map(({ values, ...violation }) => ({
    ...violation,
    below: inside !== undefined,
    values: values.map((text) => [text]),
  }));
  if (inside === undefined) return texts;
  const { minItems = 0, maxItems, uniqueItems } = schema;
  const entries = (length: number) =>
    madeUpValues({ in: place, name: '', required: true, schema: { ...schema, minItems: length, maxItems: length } });
  const many = { type: 'array' as const, items: inside, minItems: (maxItems ?? 0) + 1, maxItems: (maxItems ?? 0) + 1 };
  const tooMany = madeUpValues({ in: place, name: '', required: true, schema: many });
  const twice = entries(Math.max(1, minItems - 1)).map((values) => [...values, values[0] ?? '']);
  return [
    ...texts,
    ...(minItems > 1 ? [{ word: 'minItems', where, values: entries(minItems - 1) }] : []),
    ...(maxItems === undefined ? [] : [{ word: 'maxItems', where, values: tooMany }]),
    ...(uniqueItems === true ? [{ word: 'uniqueItems', where, values: twice }] : []),
  ];
}

/** A valid request with one change, whose place the refusal must name. */
function changed<Value>(
  { word, where, below = false }: Pick<Violation<Value>, 'word' | 'where' | 'below'>,
  valid: Arbitrary<RequestParts>,
  values: Arbitrary<Value>,
  change: (parts: RequestParts, value: Value) => RequestParts,
): Kind {
  const requests = fc.tuple(valid, values).map(([parts, value]) => change(parts, value));
  const promised: Promised = { kind: 'refused', status: 400, code: 'invalid_request', where, below };
  return { name: `${where} ${word}`, promised, requests };
}

function unknownQuery({ parameters }: FuzzedOperation, valid: Arbitrary<RequestParts>): Kind[] {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const near = inQuery.flatMap(({ name, schema }) => [
    name.toUpperCase(),
    ` ${name}`,
    // The server reads brackets as a list of the parameter before them.
    ...(typeOf(schema) === 'array' ? [] : [`${name}[]`, `${name}[0]`]),
  ]);
  const names = ['surplus', '__proto__', 'constructor', 'a/b', 'a.b', 'q[a]', 'q[', '[]', '[a]', '\u0000', ...near];
  return names.map((name) => {
    const add = (parts: RequestParts, value: string): RequestParts => ({
      ...parts,
      query: [...parts.query, [name, value]],
    });
    const kind = changed({ word: 'unknown', where: `query/${name}` }, valid, fc.string({ maxLength: 10 }), add);
    return { ...kind, name: `query/${name} unknown` };
  });
}

/** Headers that an operation does not read must have no effect. */
function unknownHeaders({ parameters }: FuzzedOperation, valid: Arbitrary<RequestParts>): Kind {
  const known = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
  const names = ['X-Surplus', 'If-Match', 'If-None-Match', 'If-Unmodified-Since', 'Range', 'Prefer', 'Cookie', 'TE'];
  const values = fc.array(headerAlphabet.character, { maxLength: 20 }).map((characters) => characters.join('').trim());
  const surplus = fc.tuple(fc.constantFrom(...names.filter((name) => !known.includes(name))), values);
  const requests = fc
    .tuple(valid, surplus)
    .map(([parts, entry]): RequestParts => ({ ...parts, headers: [...parts.headers, entry] }));
  return { name: 'unknown header', promised: accepted, requests };
}

/** Requests without If-Match, although the operation requires it, and with ETags that match nothing: a weak ETag never matches. */
function preconditionKinds({ parameters, responses }: FuzzedOperation, valid: Arbitrary<RequestParts>): Kind[] {
  const parameter = parameters.find(({ in: place, name }) => place === 'header' && name === 'If-Match');
  if (parameter === undefined) return [];
  const promised: Promised = { kind: 'declined', status: 412, code: 'precondition_failed' };
  const tags = fc
    .array(fc.constantFrom('"garbage"', 'W/"garbage"', '"a,b"', '"*"', '""'), { minLength: 1, maxLength: 3 })
    .map((list) => list.join(', '));
  const without: Kind = {
    name: 'header/If-Match left out',
    promised: { kind: 'declined', status: 428, code: 'precondition_required' },
    requests: valid.map((parts) => withParameter(parts, parameter, [])),
  };
  const requests = fc.tuple(valid, tags).map(([parts, tag]) => withParameter(parts, parameter, [tag]));
  return [{ name: 'header/If-Match of another version', promised, requests }, ...(responses.has(428) ? [without] : [])];
}

/** An operation that does not document 406 ignores any Accept. */
function acceptKinds({ responses }: FuzzedOperation, valid: Arbitrary<RequestParts>): Kind[] {
  const types = [...responses].flatMap(([status, { types }]) => (status < 300 ? types : []));
  const accepting = (name: string, promised: Promised, values: Arbitrary<string>): Kind => ({
    name,
    promised,
    requests: fc
      .tuple(valid, values)
      .map(([parts, value]): RequestParts => ({ ...parts, headers: [...parts.headers, ['Accept', value]] })),
  });
  const foreign = ['application/x-nothing', 'image/x-nothing, font/*', 'x/y;q=0.5', `*/*;q=0, ${types[0]};q=0`];
  if (!responses.has(406)) {
    const any = fc.constantFrom(...foreign, '', ';;;', 'json', 'text/html, */*');
    return [accepting('any Accept', accepted, any)];
  }
  const refused: Promised = { kind: 'refused', status: 406, code: 'not_acceptable', names: types };
  return [
    accepting('Accept of other types', refused, fc.constantFrom(...foreign)),
    ...types.map((type) =>
      accepting(
        `Accept ${type}`,
        { kind: 'accepted', type },
        fc.constantFrom(type, `${type}, */*;q=0.1`, `x/y, ${type}`),
      ),
    ),
  ];
}

function bodyKinds({ required, media }: NonNullable<FuzzedOperation['body']>, valid: Arbitrary<RequestParts>): Kind[] {
  const missing = changed({ word: 'required', where: 'body' }, valid, fc.constant(undefined), (parts, body) => ({
    ...parts,
    body,
  }));
  return [
    ...media.flatMap((one) => mediaKinds(one, media.length > 1, valid)),
    ...(required ? [missing] : []),
    ...foreignBodies(media, valid),
  ];
}

/** The kinds of one media type. If there are several media types, the names of the kinds contain the media type. */
function mediaKinds(media: FuzzedMedia, isOneOfSeveral: boolean, valid: Arbitrary<RequestParts>): Kind[] {
  const { schema, type } = media;
  const carrying = fc
    .tuple(valid, payloadsOfMedia(media))
    .map(([parts, payload]): RequestParts => ({ ...parts, ...payload }));
  const wrong = violationsOf(schema, 'body').map((violation) =>
    changed(violation, carrying, violation.values, (parts, json) => ({ ...parts, body: { json } })),
  );
  const kinds = [...wrong, notJson(carrying), ...sizeKinds(media, carrying)];
  return isOneOfSeveral ? kinds.map((one) => ({ ...one, name: `${type} ${one.name}` })) : kinds;
}

const notUtf8 = fc.constantFrom(
  ...[[0xff], [0x61, 0xc3], [0xed, 0xa0, 0x80]].map((bytes) => ({ bytes: Uint8Array.from(bytes) })),
);

function notJson(carrying: Arbitrary<RequestParts>): Kind {
  const texts = ['{', '{"a":1,}', 'nope', '[1', '"\\x"', "{'a':1}", '{"a":1} {}', '{"a":1,"a":2}', 'NaN', '\u0000'];
  const bodies = fc.oneof(fc.constantFrom(...texts.map((text) => ({ text }))), notUtf8);
  const requests = fc.tuple(carrying, bodies).map(([parts, body]): RequestParts => ({ ...parts, body }));
  return { name: 'body JSON', promised: { kind: 'refused', status: 400, code: 'invalid_json' }, requests };
}

/** The maximum number of bytes that are sent for one kind in total. */
const MANY_BYTES = 16_000_000;

/** Bodies at the limit, just below it and above it. */
function sizeKinds({ maxBytes }: FuzzedMedia, carrying: Arbitrary<RequestParts>): Kind[] {
  const most = Math.max(2, Math.floor(MANY_BYTES / maxBytes));
  const sized = (name: string, promised: Promised, bytes: number[]): Kind => ({
    name,
    promised,
    most,
    requests: fc
      .tuple(carrying, fc.constantFrom(...bytes), fc.boolean())
      .map(([parts, bodyBytes, isChunked]) => ({ ...parts, bodyBytes, isChunked })),
  });
  const refused: Promised = { kind: 'refused', status: 413, code: 'body_too_large' };
  return [
    sized('body of the maximum size', accepted, [maxBytes, maxBytes - 1]),
    sized('body above the maximum size', refused, [maxBytes + 1, maxBytes + 1_000]),
  ];
}

/** Bodies of media types that the operation does not have, in other encodings, and compressed. */
function foreignBodies(media: FuzzedMedia[], valid: Arbitrary<RequestParts>): Kind[] {
  const own = media.map(({ type }) => type);
  const candidates = [
    'text/plain',
    'application/json',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'image/png',
    'application/octet-stream',
    'garbage',
  ];
  const encodings = own.map((type) => `${type}; charset=latin1`);
  const types = [undefined, ...candidates.filter((type) => !own.includes(type)), ...encodings];
  const withBody = valid.filter(({ body }) => body !== undefined);
  const requests = fc
    .tuple(withBody, fc.constantFrom(...types))
    .map(([parts, contentType]) => ({ ...parts, contentType }));
  const compressed = fc
    .tuple(withBody, fc.constantFrom('gzip', 'br', 'x'))
    .map(([parts, coding]): RequestParts => ({ ...parts, headers: [...parts.headers, ['Content-Encoding', coding]] }));
  const refused: Promised = { kind: 'refused', status: 415, code: 'unsupported_media_type' };
  return [
    { name: 'body of another type', promised: { ...refused, names: own }, requests },
    { name: 'body compressed', promised: refused, requests: compressed },
  ];
}

/** CONNECT is refused. HEAD and OPTIONS, which every path supports, are not operations of the contract. */
function undefinedMethod({ allowed }: FuzzedOperation, valid: Arbitrary<RequestParts>): Kind {
  const methods = METHODS.filter((method) => !allowed.includes(method) && method !== 'CONNECT');
  const requests = fc.tuple(valid, fc.constantFrom(...methods)).map(([parts, method]) => ({ ...parts, method }));
  return { name: 'undefined method', promised: { kind: 'refused', status: 405, code: 'method_not_allowed' }, requests };
}
