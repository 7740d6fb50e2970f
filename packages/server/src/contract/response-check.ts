import type { OutgoingHttpHeaders } from 'node:http';
import { errorStatus, type OperationId, operations } from '@animal-store/contract';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { contractDocument } from './document.ts';
import type { Route } from './router.ts';

/** A response to be sent. `json` is undefined if the contract documents no body, as for a 204. */
export type OutgoingResponse = { status: number; headers: Record<string, string>; json: string | undefined };

/** Throws a ContractViolationError if the contract does not document a response. */
export type ResponseCheck = (route: Route, response: OutgoingResponse, headers: OutgoingHttpHeaders) => void;

/** A response that the contract does not document: a bug of this server. */
export class ContractViolationError extends Error {
  override name = 'ContractViolationError';
}

type HeaderRule = { required: boolean; validate: ValidateFunction; integer: boolean };
/** `validate` is undefined if the response has no body. */
type ResponseRule = { headers: Map<string, HeaderRule>; validate: ValidateFunction | undefined; isError: boolean };

/** Headers that every response has, even if the request matches no operation. */
const everyResponse = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'];

/** Headers that belong to HTTP, not to the contract. */
const plainHeaders = new Set([
  'allow',
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'vary',
  'x-content-type-options',
]);

/**
 * Checks status, headers and body of every response. express-openapi-validator checks bodies only, and no response that is sent
 * before it runs (401, 429). Schemas are compiled on first use.
 */
export function createResponseCheck(): ResponseCheck {
  const document = closed(contractDocument);
  // The linter already checks the contract; compiling the meta-schema here would add 80 ms to the start.
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: true,
    allErrors: true,
    meta: false,
    validateSchema: false,
  });
  addFormats.default(ajv);
  ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
  ajv.addSchema({ $id: 'contract', ...document });
  const rules = new Map<string, ResponseRule>();
  let cachedErrorRule: ResponseRule | undefined;

  return (route, response, headers) => {
    const rule = route.kind === 'operation' ? ruleOf(route.id, response.status) : errorRule();
    const problems =
      rule === undefined
        ? [`the status ${response.status} is not documented`]
        : responseProblems(rule, response, headers);
    if (problems.length === 0) return;
    const name = route.kind === 'operation' ? route.id : route.kind;
    throw new ContractViolationError(
      `The response ${response.status} of ${name} is not as documented: ${problems.join('; ')}.`,
    );
  };

  function errorRule(): ResponseRule {
    cachedErrorRule ??= compileErrorRule();
    return cachedErrorRule;
  }

  function ruleOf(id: OperationId, status: number): ResponseRule | undefined {
    const name = `${id} ${status}`;
    const rule = rules.get(name) ?? compileRule(id, status);
    if (rule !== undefined) rules.set(name, rule);
    return rule;
  }

  function compileRule(id: OperationId, status: number): ResponseRule | undefined {
    const { method, path } = operations[id];
    const response = resolve(document.paths[path][method.toLowerCase()].responses[status]);
    if (response === undefined) return undefined;
    const schema = response.content?.['application/json'].schema;
    const validate = schema === undefined ? undefined : compile(schema);
    return { headers: new Map(headerRules(response.headers ?? {})), validate, isError: status >= 400 };
  }

  /** For requests that match no operation: an `Error` with a listed code, and the headers of every response. */
  function compileErrorRule(): ResponseRule {
    const headers = headerRules(document.components.headers);
    for (const [name, rule] of headers) rule.required = everyResponse.includes(name);
    return { headers: new Map(headers), validate: compile(document.components.schemas.Error), isError: true };
  }

  function headerRules(headers: Record<string, { $ref?: string }>): [name: string, rule: HeaderRule][] {
    return Object.entries(headers).map(([name, header]) => {
      const { required = false, schema } = resolve(header);
      return [name, { required, validate: compile(schema), integer: schema.type === 'integer' }];
    });
  }

  function compile(schema: object): ValidateFunction {
    // Make references that start at the root of the document refer to the schema with the id `contract`.
    return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/')));
  }

  function resolve(part: { $ref?: string } | undefined) {
    if (part?.$ref === undefined) return part;
    return part.$ref
      .slice(2)
      .split('/')
      .reduce((node, key) => node?.[key], document);
  }
}

/**
 * The contract with `additionalProperties: false` on every object. Clients must ignore unknown properties, so that `v1` can
 * grow, but this server must not send properties that the contract does not list.
 */
function closed(node: unknown): ReturnType<typeof JSON.parse> {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, child]) => [key, closed(child)]));
  return copy['type'] === 'object' && 'properties' in copy ? { additionalProperties: false, ...copy } : copy;
}

function responseProblems(
  rule: ResponseRule,
  { json, status }: OutgoingResponse,
  headers: OutgoingHttpHeaders,
): string[] {
  const body: unknown = json === undefined ? undefined : JSON.parse(json);
  return [
    ...bodyProblems(rule.validate, body),
    ...(rule.isError ? statusProblems(body, status) : []),
    ...[...rule.headers].flatMap(([name, header]) => headerProblems(name, header, headers[name.toLowerCase()])),
    ...undocumented([...rule.headers.keys()], headers).map((name) => `the header ${name} is not documented`),
  ];
}

function bodyProblems(validate: ValidateFunction | undefined, body: unknown): string[] {
  if (validate === undefined) return body === undefined ? [] : ['it has a body'];
  if (validate(body)) return [];
  return (validate.errors ?? []).map((error) => `body${error.instancePath} ${error.message}`);
}

/** Checks what a schema cannot express: the code and the status in an `Error` must match the status of the response. */
function statusProblems(body: unknown, status: number): string[] {
  if (typeof body !== 'object' || body === null || !('code' in body) || !('status' in body)) return [];
  const expected = Object.entries(errorStatus).find(([code]) => code === body.code)?.[1];
  return [
    ...(expected === status ? [] : [`the code ${body.code} belongs to the status ${expected}`]),
    ...(body.status === status ? [] : [`the body says the status ${body.status}`]),
  ];
}

function headerProblems(name: string, rule: HeaderRule, value: OutgoingHttpHeaders[string]): string[] {
  if (value === undefined) return rule.required ? [`the header ${name} is missing`] : [];
  const text = Array.isArray(value) ? value.join(', ') : String(value);
  const parsed = rule.integer && /^-?[0-9]+$/.test(text) ? Number(text) : text;
  if (rule.validate(parsed)) return [];
  return (rule.validate.errors ?? []).map((error) => `the header ${name} ${error.message}`);
}

function undocumented(documented: string[], headers: OutgoingHttpHeaders): string[] {
  const known = new Set(documented.map((name) => name.toLowerCase()));
  return Object.keys(headers).filter(
    (name) => !known.has(name) && !plainHeaders.has(name) && !name.startsWith('access-control-'),
  );
}
