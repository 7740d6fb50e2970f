import type { OutgoingHttpHeaders } from 'node:http';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { type BodyKind, hasPlans } from '../common/facts.ts';
import { compilerOf, schemaProblems } from './body-check.ts';
import type { CompiledContract, CompiledOperation, Route } from './compiled-contract.ts';
import { type ContractPart, operationIn, resolved, rowOf } from './document.ts';
import { errorType } from './error-body.ts';

/** A response to be sent. Without `body` and `stream`, it has no body, like a 204. */
export type OutgoingResponse = {
  status: number;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
  stream?: AsyncIterable<unknown> | undefined;
  contentType?: string | undefined;
  etag?: string | undefined;
  /** The code of an error that the server itself sends. */
  code?: string | undefined;
};

/** A response that the contract does not document: a bug of this server. */
export class ContractViolationError extends Error {
  override name = 'ContractViolationError';
}

type HeaderRule = { required: boolean; validate: ValidateFunction; integer: boolean };
type BodyRule = { kind: BodyKind; validate: ValidateFunction | undefined };
type ResponseRule = {
  headers: Map<string, HeaderRule>;
  bodies: Map<string, BodyRule>;
  isError: boolean;
  /** Whether it is an error in the form of the contract. That of the server was checked at the start. */
  isDocumented: boolean;
  /** The codes that an error response may have; undefined if it may have any. */
  codes: readonly string[] | undefined;
};

const quotaHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** Headers that belong to HTTP, not to the contract. */
const plainHeaders = new Set([
  'age',
  'allow',
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'vary',
  'x-example-response',
  'x-content-type-options',
]);

/**
 * Checks status, headers and body of every response. Both functions throw a ContractViolationError. express-openapi-validator checks bodies
 * only, and no response that is sent before it runs (401, 429). Schemas are compiled on first use.
 */
export function createResponseCheck(compiled: Pick<CompiledContract, 'document' | 'contract'>) {
  const { contract } = compiled;
  const areAllCounted = contract.anonymousLimits !== null && hasPlans(contract);
  const { document, compile } = compilerOf(compiled.document);
  const rules = new Map<string, ResponseRule>();

  return {
    check: (route: Route, response: OutgoingResponse, headers: OutgoingHttpHeaders) =>
      report(route, response, (rule) => responseProblems(rule, response, headers)),
    checkItem: (route: Route, response: OutgoingResponse, item: unknown) =>
      report(route, response, (rule) => itemProblems(rule, response, item)),
  };

  /** Throws if there is no rule for the response, or the response has problems by its rule. */
  function report(route: Route, { status }: OutgoingResponse, problemsBy: (rule: ResponseRule) => string[]): void {
    const rule = ruleFor(route, status);
    const problems = rule === undefined ? [`the status ${status} is not documented`] : problemsBy(rule);
    if (problems.length === 0) return;
    const name = route.kind === 'operation' ? route.operation.id : route.kind;
    throw new ContractViolationError(`The response ${status} of ${name} is not as documented: ${problems.join('; ')}.`);
  }

  function ruleFor(route: Route, status: number): ResponseRule | undefined {
    const name = route.kind === 'operation' ? `${route.operation.id} ${status}` : 'no operation';
    const rule =
      rules.get(name) ?? (route.kind === 'operation' ? compileRule(route.operation, status) : compileErrorRule());
    if (rule !== undefined) rules.set(name, rule);
    return rule;
  }

  function compileRule({ facts }: CompiledOperation, status: number): ResponseRule | undefined {
    const response = resolved(rowOf(operationIn(document, facts).responses, status), document);
    if (response === undefined) return undefined;
    const content = Object.entries(response.content ?? {});
    const documented = rowOf(facts.errors, status);
    const { mediaTypes = {} } = facts.responses[status] ?? documented ?? {};
    const bodies = content.map(([type, { schema }]): [string, BodyRule] => [
      type,
      // Errors are JSON.
      { kind: mediaTypes[type]?.kind ?? 'json', validate: schema === undefined ? undefined : compile(schema) },
    ]);
    return {
      headers: new Map(headerRules(response.headers ?? {})),
      bodies: new Map(bodies),
      isError: status >= 400,
      isDocumented: documented !== undefined,
      codes: rowOf(facts.errorCodes, status),
    };
  }

  /** For requests that match no operation: the headers of every response, and an `Error` unless the contract has its own errors. */
  function compileErrorRule(): ResponseRule {
    const headers = headerRules(document.components?.['headers'] ?? {}).filter(
      ([name]) => !plainHeaders.has(name.toLowerCase()),
    );
    for (const [name, rule] of headers) {
      rule.required = name === 'X-Request-Id' || (areAllCounted && quotaHeaders.includes(name));
    }
    const validate = compile(document.components?.['schemas']?.['Error'] ?? {});
    const bodies = new Map<string, BodyRule>([[errorType(contract), { kind: 'json', validate }]]);
    const isDocumented = Object.values(contract.operations).some(({ errors }) => errors !== undefined);
    return { headers: new Map(headers), bodies, isError: true, isDocumented, codes: undefined };
  }

  function headerRules(headers: Readonly<Record<string, ContractPart>>): [name: string, rule: HeaderRule][] {
    return Object.entries(headers).map(([name, header]) => {
      const { required, schema = {} } = resolved(header, document);
      return [name, { required: required === true, validate: compile(schema), integer: schema.type === 'integer' }];
    });
  }

  function responseProblems(rule: ResponseRule, response: OutgoingResponse, headers: OutgoingHttpHeaders): string[] {
    return [
      ...bodyProblems(rule, response),
      ...[...rule.headers].flatMap(([name, header]) => headerProblems(name, header, headers[name.toLowerCase()])),
      ...undocumented([...rule.headers.keys()], headers).map((name) => `the header ${name} is not documented`),
    ];
  }

  function bodyProblems(rule: ResponseRule, { body, stream, contentType, status, code }: OutgoingResponse): string[] {
    if (body === undefined && stream === undefined) return rule.bodies.size === 0 ? [] : ['it has no body'];
    if (rule.bodies.size === 0) return ['it has a body'];
    const bodyRule = rule.bodies.get(contentType ?? '');
    if (bodyRule === undefined) {
      return [`its media type is ${contentType}, not ${[...rule.bodies.keys()].join(' or ')}`];
    }
    if (body === undefined || (rule.isDocumented && code !== undefined)) return [];
    return valuesOf(bodyRule.kind, body).flatMap((item) => [
      ...schemaProblems(bodyRule.validate, item),
      ...(rule.isError && !rule.isDocumented ? errorProblems(item, status, rule.codes) : []),
    ]);
  }

  /** Checks what a schema cannot express: an `Error` has the status of its code and of the response, and a documented code. */
  function errorProblems(body: unknown, status: number, codes: readonly string[] | undefined): string[] {
    if (typeof body !== 'object' || body === null || !('code' in body) || !('status' in body)) return [];
    const code = String(body.code);
    const expected = Object.hasOwn(contract.errorStatus, code) ? contract.errorStatus[code] : undefined;
    return [
      ...(expected === status ? [] : [`the code ${code} belongs to the status ${expected}`]),
      ...(codes?.includes(code) === false ? [`the operation does not document the code ${code}`] : []),
      ...(body.status === status ? [] : [`the body says the status ${body.status}`]),
    ];
  }
}

/** The values to check against the schema of a media type: none for bytes, nor for streams, of which each item is checked. */
function valuesOf(kind: BodyKind, body: string | Uint8Array): unknown[] {
  if (kind === 'json' && typeof body === 'string') return [JSON.parse(body)];
  return kind === 'text' ? [body] : [];
}

function itemProblems(rule: ResponseRule, { contentType = '' }: OutgoingResponse, item: unknown): string[] {
  // The schema of a streamed text describes the whole text, and this is only a part of it.
  return typeof item === 'string' || item instanceof Uint8Array
    ? []
    : schemaProblems(rule.bodies.get(contentType)?.validate, item);
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
