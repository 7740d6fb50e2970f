import fc, { type Arbitrary } from 'fast-check';
import { headerAlphabet, urlAlphabet } from '../schemas/strings.ts';
import { textsOf, valuesOf } from '../schemas/values.ts';
import type { FuzzedOperation, FuzzedParameter } from './contract.ts';
import type { RequestParts } from './request.ts';

/**
 * Values of parameters that a schema can describe and not tell apart from made-up ones: by `query/cursor`, say, those
 * that the API gave out. Learnt from its responses before the requests are made.
 */
export type GivenValues = ReadonlyMap<string, readonly string[]>;

/** Which parameters take values of the API's own only. A made-up one is refused where it stands. */
export const opaqueParameters: ReadonlySet<string> = new Set(['query/cursor']);

/** Every request to an operation that is valid by contract. */
export function validRequests(operation: FuzzedOperation, given: GivenValues): Arbitrary<RequestParts> {
  return fc.record({
    method: fc.constant(operation.method),
    path: parametersIn(operation, 'path', given).map((entries) => Object.fromEntries(entries)),
    query: parametersIn(operation, 'query', given),
    headers: parametersIn(operation, 'header', given),
    body: bodiesOf(operation),
    contentType: operation.body === undefined ? fc.constant(undefined) : fc.constantFrom(...jsonTypes),
  });
}

/** All of them say JSON in UTF-8: RFC 9110 8.3.1 makes type and charset case-insensitive. */
const jsonTypes = ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'];

function bodiesOf({ body }: FuzzedOperation): Arbitrary<unknown> {
  if (body === undefined) return fc.constant(undefined);
  return body.required ? valuesOf(body.schema) : fc.option(valuesOf(body.schema), { nil: undefined });
}

/** The parameters of one place, those that may be left out now and then left out, in any order. */
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
      const entry = values.map((value): [string, string] => [parameter.name, value]);
      return [place === 'path' || parameter.required ? entry : fc.option(entry, { nil: undefined })];
    });
  return fc
    .tuple(fc.tuple(...entries), fc.boolean())
    .map(([all, isReversed]) => (isReversed ? all.toReversed() : all).filter((entry) => entry !== undefined));
}

/** Undefined for an opaque parameter of which no value is known. */
export function parameterValues(parameter: FuzzedParameter, given: GivenValues): Arbitrary<string> | undefined {
  const { in: place, name, schema } = parameter;
  const where = `${place}/${name}`;
  if (!opaqueParameters.has(where)) return textsOf(schema, place === 'header' ? headerAlphabet : urlAlphabet);
  const known = given.get(where) ?? [];
  return known.length === 0 ? undefined : fc.constantFrom(...known);
}
