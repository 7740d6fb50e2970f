import { METHODS } from 'node:http';
import fc, { type Arbitrary } from 'fast-check';
import { headerAlphabet, urlAlphabet } from '../schemas/strings.ts';
import { textsOf } from '../schemas/values.ts';
import { textViolationsOf, violationsOf } from '../schemas/violations.ts';
import type { FuzzedOperation, FuzzedParameter } from './contract.ts';
import { type RequestParts, withParameter } from './request.ts';
import { type GivenValues, opaqueParameters, parameterValues, validRequests } from './valid.ts';

/** What the contract promises for a request. */
export type Promised =
  | { kind: 'accepted' }
  /** `where` is the one place that `details` names; undefined where a response has no details. */
  | { kind: 'refused'; status: number; code: string; where?: string };

/** One way to call an operation: as the contract says, or with one thing wrong. */
export type Kind = { name: string; promised: Promised; requests: Arbitrary<RequestParts> };

/** Every kind of request to an operation, the valid ones first. */
export function kindsOf(operation: FuzzedOperation, given: GivenValues): Kind[] {
  const valid = validRequests(operation, given);
  return [
    { name: 'valid', promised: { kind: 'accepted' }, requests: valid },
    ...(operation.method === 'GET' ? [headKind(valid)] : []),
    ...operation.parameters.flatMap((parameter) => parameterKinds(parameter, valid, given)),
    ...unknownQuery(operation, valid),
    ...(operation.body === undefined ? [] : bodyKinds(operation.body, valid)),
    undefinedMethod(operation, valid),
  ];
}

function headKind(valid: Arbitrary<RequestParts>): Kind {
  const requests = valid.map((parts) => ({ ...parts, method: 'HEAD' }));
  return { name: 'valid HEAD', promised: { kind: 'accepted' }, requests };
}

function parameterKinds(parameter: FuzzedParameter, valid: Arbitrary<RequestParts>, given: GivenValues): Kind[] {
  const where = `${parameter.in}/${parameter.name}`;
  const alphabet = parameter.in === 'header' ? headerAlphabet : urlAlphabet;
  const wrong = textViolationsOf(parameter.schema, where, alphabet).map(({ word, values }) => {
    // An empty segment makes another path.
    const sent = parameter.in === 'path' ? values.filter((value) => value !== '') : values;
    return changed(`${where} ${word}`, where, valid, sent, (parts, value) => withParameter(parts, parameter, [value]));
  });
  const madeUp = textsOf(parameter.schema, alphabet);
  const usable = parameterValues(parameter, given) ?? madeUp;
  const set = (parts: RequestParts, values: string[]) => withParameter(parts, parameter, values);
  return [
    ...wrong,
    ...(opaqueParameters.has(where)
      ? [changed(`${where} made up`, where, valid, madeUp, (parts, value) => set(parts, [value]))]
      : []),
    ...(parameter.in === 'query' ? [changed(`${where} twice`, where, valid, fc.tuple(usable, usable), set)] : []),
    ...(parameter.required && parameter.in !== 'path'
      ? [changed(`${where} required`, where, valid, fc.constant<string[]>([]), set)]
      : []),
  ];
}

/** A valid request with one change that is refused where it stands. */
function changed<Value>(
  name: string,
  where: string,
  valid: Arbitrary<RequestParts>,
  values: Arbitrary<Value>,
  change: (parts: RequestParts, value: Value) => RequestParts,
): Kind {
  const requests = fc.tuple(valid, values).map(([parts, value]) => change(parts, value));
  return { name, promised: { kind: 'refused', status: 400, code: 'invalid_request', where }, requests };
}

function unknownQuery({ parameters }: FuzzedOperation, valid: Arbitrary<RequestParts>): Kind[] {
  const known = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const near = known.flatMap((name) => [name.toUpperCase(), `${name}[]`, `${name}[0]`, ` ${name}`]);
  const names = ['surplus', '__proto__', 'constructor', 'a/b', 'a.b', 'q[a]', '\u0000', ...near];
  return names.map((name) =>
    // Brackets are read as a list of what stands before them.
    changed(
      `query/${name} unknown`,
      `query/${name.replace(/\[.*/, '')}`,
      valid,
      fc.string({ maxLength: 10 }),
      (parts, value) => ({
        ...parts,
        query: [...parts.query, [name, value]],
      }),
    ),
  );
}

function bodyKinds({ required, schema }: NonNullable<FuzzedOperation['body']>, valid: Arbitrary<RequestParts>): Kind[] {
  const wrong = violationsOf(schema, 'body').map(({ word, where, values }) =>
    changed(`${where} ${word}`, where, valid, values, (parts, body) => ({ ...parts, body })),
  );
  const missing = changed('body required', 'body', valid, fc.constant(undefined), (parts, body) => ({
    ...parts,
    body,
  }));
  const types = [
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json; charset=latin1',
  ];
  const requests = fc
    .tuple(valid, fc.constantFrom(...types))
    .map(([parts, contentType]) => ({ ...parts, contentType }));
  return [
    ...wrong,
    ...(required ? [missing] : []),
    {
      name: 'body of another type',
      promised: { kind: 'refused', status: 415, code: 'unsupported_media_type' },
      requests,
    },
  ];
}

/** CONNECT asks for a tunnel and gets none; the two that every path has beside its own are no operations of the contract. */
function undefinedMethod({ allowed }: FuzzedOperation, valid: Arbitrary<RequestParts>): Kind {
  const methods = METHODS.filter((method) => !allowed.includes(method) && method !== 'CONNECT');
  const requests = fc.tuple(valid, fc.constantFrom(...methods)).map(([parts, method]) => ({ ...parts, method }));
  return { name: 'undefined method', promised: { kind: 'refused', status: 405, code: 'method_not_allowed' }, requests };
}
