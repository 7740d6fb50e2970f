import { entriesOf } from '../common/json.ts';
import type { ContractDocument } from '../contract/document.ts';
import { factsOf, type OperationFacts, type ParameterFacts } from './facts.ts';

/** The options of `server.call` in the tests. */
export type RequestExample = {
  path?: Values | undefined;
  query?: Values | undefined;
  headers?: Values | undefined;
  body?: unknown;
};

type Values = Record<string, string | number>;

/** A valid request with only the required parts. An operation that takes If-Match may demand it, and `*` is any version. */
export function validRequest({ parameters, body }: OperationFacts): RequestExample {
  const required = parameters.filter(({ isRequired }) => isRequired);
  const takesVersion = parameters.some(({ name }) => name === 'If-Match');
  const headers = {
    ...valuesOf(required, 'header'),
    ...(takesVersion ? { 'If-Match': '*' } : {}),
  };
  return {
    path: valuesOf(required, 'path'),
    query: valuesOf(required, 'query'),
    headers: Object.keys(headers).length === 0 ? undefined : headers,
    body: body?.examples[0],
  };
}

/** A valid request for every operation by its ID, as JSON. A test of the project sends them. */
export function requestsOf(document: ContractDocument): string {
  const requests = factsOf(document).map((facts) => {
    const request = validRequest(facts);
    // The harness sends a text as it is, so a text in JSON needs its quotation marks.
    const isText = facts.body?.isJson === true && typeof request.body === 'string';
    return [facts.id, isText ? { ...request, body: JSON.stringify(request.body) } : request];
  });
  return `${JSON.stringify(Object.fromEntries(requests), null, 2)}\n`;
}

/** Another valid request for the same operation, if one can be derived from the contract. */
export function otherRequest(operation: OperationFacts): RequestExample {
  const valid = validRequest(operation);
  const [, second] = operation.body?.examples ?? [];
  if (second !== undefined) return { ...valid, body: second };
  const [name, value] = entriesOf(valid.body).find(([, property]) => typeof property === 'number') ?? [];
  if (name !== undefined)
    return { ...valid, body: { ...Object.fromEntries(entriesOf(valid.body)), [name]: Number(value) + 1 } };
  if (valid.path === undefined || operation.body !== undefined) return valid;
  const next = Object.entries(valid.path).map(([key, id]) => [key, typeof id === 'number' ? id + 1 : `${id}2`]);
  return { ...valid, path: Object.fromEntries(next) };
}

/** Undefined without parameters, so that the text omits it. */
function valuesOf(parameters: readonly ParameterFacts[], place: string): Values | undefined {
  const values = parameters.filter((parameter) => parameter.in === place).map(({ name, example }) => [name, example]);
  return values.length === 0 ? undefined : Object.fromEntries(values);
}
