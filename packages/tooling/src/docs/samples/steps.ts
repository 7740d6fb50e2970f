import { dig } from '../../common/json.ts';
import { type ContractDocument, operationsOf, resolve } from '../../contract/document.ts';
import type { SampleRequest } from './sample-request.ts';

/** A request that a sample sends first, and what it stores of the response. */
export type SampleStep = {
  /** It has no steps of its own. */
  request: SampleRequest;
  /** The last part of the URL in `Location`, which is also `id` in the body; or the header `ETag`. */
  from: 'id' | 'ETag';
  stores: Stored;
};

/**
 * The requests with the steps that come first, so that a sample can be run in any order, again and again:
 * * A sample that refers to a resource first creates it. A fixed ID could be another key's, deleted or sold.
 * * A sample that takes `If-Match` first reads the ETag. If the contract has no way to read it, the sample sends `*`.
 */
export function withSteps(document: ContractDocument, requests: readonly SampleRequest[]): SampleRequest[] {
  const operations = new Map(operationsOf(document).map((placed) => [placed.operation.operationId, placed]));

  function prepared(request: SampleRequest, creating: readonly string[] = []): SampleRequest {
    const created = namesIn(request).flatMap((name) => {
      const creation = creationOf(name);
      if (creation === undefined || [request.id, ...creating].includes(creation.id)) return [];
      const { steps, ...rest } = prepared(creation, [...creating, request.id]);
      const stores = new Stored(name, exampleOf(request, name));
      return [{ steps, step: { request: { ...rest, steps: [] }, from: 'id', stores } satisfies SampleStep }];
    });
    const filled = created.reduce((filled, { step }) => fill(filled, step.stores), request);
    const steps = created.flatMap(({ steps, step }) => [...steps, step]);
    const read = filled.headers.some(isIfMatch) ? readingOf(filled) : undefined;
    if (read === undefined) return { ...filled, steps, remarks: [...filled.remarks, ...remarksOn(filled)] };
    const etag = new Stored('etag', '*');
    return {
      ...filled,
      headers: filled.headers.map((header) => (isIfMatch(header) ? { name: header.name, value: etag } : header)),
      steps: [...steps, { request: { ...read, summary: 'Read the current ETag.' }, from: 'ETag', stores: etag }],
    };
  }

  /** The operation that creates what `noteId` identifies: the `POST` of the path before `/{noteId}`. */
  function creationOf(name: string): SampleRequest | undefined {
    const collection = requests.find(({ path }) => path.includes(`/{${name}}`))?.path.split(`/{${name}}`)[0];
    return requests.find(({ id, method, path, response }) => {
      const hasId = response.reading === 'json' && dig(response.example, 'id') !== undefined;
      return method === 'POST' && path === collection && hasId && hasHeader(id, response.status, 'Location');
    });
  }

  /** The request for the ETag: the `GET` of the same path or, if that is deprecated, its successor with the filter `id`. */
  function readingOf({ path, pathValues }: SampleRequest): SampleRequest | undefined {
    const get = requests.find((one) => one.method === 'GET' && one.path === path);
    if (get === undefined || !hasHeader(get.id, get.response.status, 'ETag')) return undefined;
    const successorId = operations.get(get.id)?.operation['x-deprecation']?.successor;
    if (successorId === undefined) return { ...get, pathValues };
    const successor = requests.find(({ id }) => id === successorId);
    const [value, ...others] = Object.values(pathValues);
    const hasFilter = operations.get(successorId)?.parameters.some((one) => one.name === 'id');
    if (successor === undefined || value === undefined || others.length > 0 || hasFilter !== true) return undefined;
    return { ...successor, query: { id: [value] } };
  }

  function hasHeader(id: string, status: number, name: string): boolean {
    const response = resolve(document, operations.get(id)?.operation.responses[status]);
    return dig(response, 'headers', name) !== undefined;
  }

  return requests.map((request) => prepared(request));
}

function remarksOn({ headers }: SampleRequest): string[] {
  return headers.some(isIfMatch)
    ? ['* matches any version. Send an ETag instead to change only the version that you read.']
    : [];
}

function isIfMatch({ name }: { name: string }): boolean {
  return name === 'If-Match';
}

/**
 * The names in the path and in the body that may refer to resources. A `GET` of `/notes/{noteId}/photo` has none, because a
 * new note has no photo yet.
 */
function namesIn({ method, path, body }: SampleRequest): string[] {
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
  if (inPath.length > 1 || (method !== 'POST' && !path.endsWith('}'))) return [];
  const inBody = body?.sending === 'json' && typeof body.value === 'object' ? Object.keys(body.value ?? {}) : [];
  return [...inPath, ...inBody];
}

/** The contract's example of a value in the path or the body. */
function exampleOf({ pathValues, body }: SampleRequest, name: string): string | number {
  const example = pathValues[name] ?? dig(body, 'value', name);
  return typeof example === 'number' ? example : String(example);
}

/** The request with a variable instead of the value of this name in its path and its body. */
function fill(request: SampleRequest, stored: Stored): SampleRequest {
  const { pathValues, body } = request;
  const replaced = <Values extends object>(values: Values) =>
    stored.variable in values ? { ...values, [stored.variable]: stored } : values;
  const isObject = body?.sending === 'json' && typeof body.value === 'object' && body.value !== null;
  return {
    ...request,
    pathValues: replaced(pathValues),
    ...(isObject ? { body: { ...body, value: replaced(Object(body.value)) } } : {}),
  };
}

/** The code of the steps, then that of the request itself, with its summary in a comment if there are steps. */
export function inSequence(
  { steps, summary }: SampleRequest,
  comment: string,
  stepCode: (step: SampleStep) => string,
  main: string,
): string {
  return `${steps.map(stepCode).join('\n')}${steps.length === 0 ? '' : `\n${comment} ${summary}\n`}${main}`;
}

/** A value that a sample has stored in a variable before it sends a request. As text and as JSON, it is the contract's example. */
export class Stored {
  /** Such as `noteId`. */
  readonly variable: string;
  readonly example: string | number;

  constructor(variable: string, example: string | number) {
    this.variable = variable;
    this.example = example;
  }

  toString(): string {
    return String(this.example);
  }

  toJSON(): string | number {
    return this.example;
  }
}

/** The JSON text of a value, split at each variable. */
export function jsonParts(value: unknown): (string | Stored)[] {
  const found: Stored[] = [];
  const text = JSON.stringify(marked(value, found));
  return text.split('"\\u0000"').flatMap((part, index) => {
    const stored = found[index];
    return stored === undefined ? [part] : [part, stored];
  });
}

/** Contracts do not have the null character in their examples. */
function marked(value: unknown, found: Stored[]): unknown {
  if (value instanceof Stored) {
    found.push(value);
    return '\u0000';
  }
  if (Array.isArray(value)) return value.map((one) => marked(one, found));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, marked(one, found)]));
}

/** A variable's name in the style of shells and Python: `note_id`. */
export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
