import type { OutgoingHttpHeaders } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { BodyKind } from '../common/contract.ts';
import type { CompiledContract, CompiledOperation, Route } from './compiled-contract.ts';
import { type ContractDocument, type ContractPart, operationIn, resolved } from './document.ts';

/** A response to be sent. Without `body` and `stream`, it has no body, like a 204. */
export type OutgoingResponse = {
  status: number;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
  /** The items of a streamed body. */
  stream?: AsyncIterable<unknown> | undefined;
  contentType?: string | undefined;
  etag?: string | undefined;
};

/** Throws a ContractViolationError if the contract does not document a response. */
export type ResponseCheck = {
  check: (route: Route, response: OutgoingResponse, headers: OutgoingHttpHeaders) => void;
  /** Checks one item of a streamed body. */
  checkItem: (route: Route, response: OutgoingResponse, item: unknown) => void;
};

/** A response that the contract does not document: a bug of this server. */
export class ContractViolationError extends Error {
  override name = 'ContractViolationError';
}

type HeaderRule = { required: boolean; validate: ValidateFunction; integer: boolean };
/** `validate` is undefined for a media type without a schema. */
type BodyRule = { kind: BodyKind; validate: ValidateFunction | undefined };
/** `bodies` has a rule for each media type of the response. */
type ResponseRule = {
  headers: Map<string, HeaderRule>;
  bodies: Map<string, BodyRule>;
  isError: boolean;
  /** The codes that an error response may have; undefined if it may have any. */
  codes: readonly string[] | undefined;
};

/** Headers that every response has, even if the request matches no operation. */
const everyResponse = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'];

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
 * Checks status, headers and body of every response. express-openapi-validator checks bodies only, and no response that is sent
 * before it runs (401, 429). Schemas are compiled on first use.
 */
export function createResponseCheck(compiled: Pick<CompiledContract, 'document' | 'contract'>): ResponseCheck {
  const { errorStatus } = compiled.contract;
  const document = closed(compiled.document);
  // The linter already checks the contract; compiling the meta-schema here would add 80 ms to the start.
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: true,
    allErrors: true,
    meta: false,
    validateSchema: false,
    // Ajv would warn about each format that it does not know. It ignores them, as JSON Schema allows.
    logger: false,
  });
  addFormats.default(ajv);
  ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
  ajv.addSchema({ $id: 'contract', ...document });
  const rules = new Map<string, ResponseRule>();

  return {
    check: (route, response, headers) => report(route, response, (rule) => responseProblems(rule, response, headers)),
    checkItem: (route, response, item) => report(route, response, (rule) => itemProblems(rule, response, item)),
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
    const response = resolved(operationIn(document, facts).responses?.[status], document);
    if (response === undefined) return undefined;
    const content = Object.entries(response.content ?? {});
    const { mediaTypes = {} } = facts.responses[status] ?? {};
    const bodies = content.map(([type, { schema }]): [string, BodyRule] => [
      type,
      // Errors are JSON.
      { kind: mediaTypes[type]?.kind ?? 'json', validate: schema === undefined ? undefined : compile(schema) },
    ]);
    return {
      headers: new Map(headerRules(response.headers ?? {})),
      bodies: new Map(bodies),
      isError: status >= 400,
      codes: facts.errorCodes[status],
    };
  }

  /** For requests that match no operation: an `Error` with a listed code, and the headers of every response. */
  function compileErrorRule(): ResponseRule {
    const headers = headerRules(document.components?.['headers'] ?? {}).filter(
      ([name]) => !plainHeaders.has(name.toLowerCase()),
    );
    for (const [name, rule] of headers) rule.required = everyResponse.includes(name);
    const validate = compile(document.components?.['schemas']?.['Error'] ?? {});
    const bodies = new Map<string, BodyRule>([['application/json', { kind: 'json', validate }]]);
    return { headers: new Map(headers), bodies, isError: true, codes: undefined };
  }

  function headerRules(headers: Readonly<Record<string, ContractPart>>): [name: string, rule: HeaderRule][] {
    return Object.entries(headers).map(([name, header]) => {
      const { required, schema = {} } = resolved(header, document);
      return [name, { required: required === true, validate: compile(schema), integer: schema.type === 'integer' }];
    });
  }

  function compile(schema: object): ValidateFunction {
    // Make references that start at the root of the document refer to the schema with the ID `contract`.
    return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/')));
  }

  function responseProblems(rule: ResponseRule, response: OutgoingResponse, headers: OutgoingHttpHeaders): string[] {
    return [
      ...bodyProblems(rule, response),
      ...[...rule.headers].flatMap(([name, header]) => headerProblems(name, header, headers[name.toLowerCase()])),
      ...undocumented([...rule.headers.keys()], headers).map((name) => `the header ${name} is not documented`),
    ];
  }

  function bodyProblems(rule: ResponseRule, { body, stream, contentType, status }: OutgoingResponse): string[] {
    if (body === undefined && stream === undefined) return rule.bodies.size === 0 ? [] : ['it has no body'];
    if (rule.bodies.size === 0) return ['it has a body'];
    const bodyRule = rule.bodies.get(contentType ?? '');
    if (bodyRule === undefined) {
      return [`its media type is ${contentType}, not ${[...rule.bodies.keys()].join(' or ')}`];
    }
    if (body === undefined) return [];
    return valuesOf(bodyRule.kind, body).flatMap((item) => [
      ...schemaProblems(bodyRule.validate, item),
      ...(rule.isError ? errorProblems(item, status, rule.codes) : []),
    ]);
  }

  /** Checks what a schema cannot express: an `Error` has the status of its code and of the response, and a documented code. */
  function errorProblems(body: unknown, status: number, codes: readonly string[] | undefined): string[] {
    if (typeof body !== 'object' || body === null || !('code' in body) || !('status' in body)) return [];
    const code = String(body.code);
    const expected = Object.hasOwn(errorStatus, code) ? errorStatus[code] : undefined;
    return [
      ...(expected === status ? [] : [`the code ${code} belongs to the status ${expected}`]),
      ...(codes?.includes(code) === false ? [`the operation does not document the code ${code}`] : []),
      ...(body.status === status ? [] : [`the body says the status ${body.status}`]),
    ];
  }
}

/**
 * The contract with closed schemas. Clients must ignore unknown properties, so that `v1` can grow, but this server must not send
 * properties that the contract does not list, nor writeOnly ones.
 */
function closed(document: ContractDocument): ContractDocument;
function closed(document: ContractDocument): unknown {
  const { close, closedApart } = closerOf(document);
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (!isObject(node)) return node;
    return mapValues(node, (child, key) => {
      if (key === 'schemas' && isObject(child)) return mapValues(child, close);
      return key === 'schema' ? close(child) : visit(child);
    });
  };
  const visited = Object(visit(document));
  // After the visit, which finds the schemas to close apart.
  return { ...visited, components: { ...visited.components, [apartGroup]: closedApart() } };
}

/** The group of components for schemas that are closed apart. OpenAPI has no group of this name. */
const apartGroup = 'closedApart';

/** Keywords whose schemas apply to the same value as the schema that has them. */
const inPlace = new Set(['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'not', 'dependentSchemas']);
const nested = new Set(['items', 'prefixItems', 'contains', 'additionalProperties', 'unevaluatedProperties']);
const byName = new Set(['properties', 'patternProperties', 'dependentSchemas']);
/** Keywords with schemas. */
const containing = new Set([...inPlace, ...nested, ...byName]);
const composing = ['allOf', 'anyOf', 'if', 'dependentSchemas'];
const listing = ['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'oneOf', '$ref'];

/**
 * Returns a function that closes a schema. An object gets `additionalProperties: false`. A composition gets `unevaluatedProperties:
 * false` as a whole: its parts stay open, because each lists only some of the properties. References in it are replaced by their
 * targets, which are closed in other places. The properties and items of such a target are closed apart and referred to, so that a
 * schema may contain itself, and each schema is closed only once however many compositions refer to it.
 */
function closerOf(document: ContractDocument) {
  /** The schemas to close apart, with their names. */
  const apart = new Map<Schema, string>();

  function close(schema: unknown): unknown {
    if (!isObject(schema)) return schema;
    const isComposed = isComposition(schema);
    const whole = isComposed
      ? open(schema, [])
      : withSchemas(schema, close, (part, keyword) => (keyword === 'oneOf' ? close(part) : open(part, [])));
    if (!isObject(whole)) return whole;
    const parts = [...partsOf(whole)];
    const unsent = new Set(parts.flatMap(({ properties }) => namesOfFalse(properties)));
    for (const part of parts) {
      if (Array.isArray(part['required'])) part['required'] = part['required'].filter((name) => !unsent.has(name));
    }
    if (isComposed)
      return parts.some((part) => 'properties' in part) ? { unevaluatedProperties: false, ...whole } : whole;
    const isClosed = 'properties' in whole && [whole['type']].flat().includes('object');
    return isClosed ? { additionalProperties: false, ...whole } : whole;
  }

  /** A part of a composition. @param followed the references that lead to it */
  function open(part: unknown, followed: readonly string[]): unknown {
    if (!isObject(part)) return part;
    const { $ref, ...rest } = part;
    const own = withSchemas(rest, followed.length > 0 ? closeApart : close, (inner, keyword) => {
      const opened = open(inner, followed);
      return keyword === 'anyOf' || keyword === 'oneOf' ? withAnyProperties(opened) : opened;
    });
    // A base that names its variants, each of which contains the base.
    if (typeof $ref !== 'string' || followed.includes($ref)) return own;
    const target = open(targetOf($ref), [...followed, $ref]);
    return Object.keys(own).length === 0 ? target : { ...own, allOf: [own['allOf'] ?? [], target].flat() };
  }

  /** A reference to the closed schema, which `closedApart` makes. */
  function closeApart(schema: unknown): unknown {
    if (!isObject(schema) || !Object.keys(schema).some((keyword) => containing.has(keyword))) return close(schema);
    const name = apart.get(schema) ?? String(apart.size);
    apart.set(schema, name);
    return { $ref: `#/components/${apartGroup}/${name}` };
  }

  /** The schemas that others refer to because of `closeApart`. */
  function closedApart(): Schema {
    const schemas: Schema = {};
    // The map grows in this loop: closing a schema may need further ones.
    for (const [schema, name] of apart) schemas[name] = close(schema);
    return schemas;
  }

  /** The schema with its properties and items closed by `closeInner`, and with the schemas for the same value changed. */
  function withSchemas(
    schema: Schema,
    closeInner: (inner: unknown) => unknown,
    change: (part: unknown, keyword: string) => unknown,
  ): Schema {
    return mapValues(schema, (value, keyword) => {
      if (keyword === 'properties' && isObject(value)) {
        return mapValues(value, (property) => (isWriteOnly(property) ? false : closeInner(property)));
      }
      const each = (part: unknown) => (inPlace.has(keyword) ? change(part, keyword) : closeInner(part));
      if (byName.has(keyword) && isObject(value)) return mapValues(value, each);
      if (!inPlace.has(keyword) && !nested.has(keyword)) return value;
      return Array.isArray(value) ? value.map(each) : each(value);
    });
  }

  function isWriteOnly(schema: unknown): boolean {
    if (!isObject(schema)) return false;
    const { writeOnly, $ref } = schema;
    return writeOnly === true || (typeof $ref === 'string' && isWriteOnly(targetOf($ref)));
  }

  function targetOf(reference: string): unknown {
    const keys = decodeURIComponent(reference).split('/').slice(1);
    return keys
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), document);
  }

  return { close, closedApart };
}

type Schema = Record<string, unknown>;

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues(values: Schema, change: (value: unknown, name: string) => unknown): Schema {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
}

/** A single `oneOf` or reference is none: its alternatives are closed themselves. */
function isComposition(schema: Schema): boolean {
  const count = listing.filter((keyword) => keyword in schema).length;
  return composing.some((keyword) => keyword in schema) || (('oneOf' in schema || '$ref' in schema) && count > 1);
}

/** A schema, and its parts that list properties of the same value. */
function* partsOf(schema: unknown): Generator<Schema> {
  if (!isObject(schema)) return;
  yield schema;
  for (const [keyword, value] of Object.entries(schema)) {
    if (!inPlace.has(keyword) || keyword === 'not') continue;
    const parts = keyword === 'dependentSchemas' ? Object.values(Object(value)) : [value].flat();
    for (const part of parts) yield* partsOf(part);
  }
}

function namesOfFalse(properties: unknown): string[] {
  return Object.entries(Object(properties)).flatMap(([name, schema]) => (schema === false ? [name] : []));
}

/** An alternative that says nothing about properties allows any, as it would alone. */
function withAnyProperties(schema: unknown): unknown {
  const keywords = ['properties', 'required', 'not', 'const', 'enum', ...inPlace];
  const isFree = isObject(schema) && !keywords.some((keyword) => keyword in schema);
  return isFree ? { additionalProperties: true, ...schema } : schema;
}

/** The values to check against the schema of a media type: one, the items of a stream that was read as a whole, or none for bytes. */
function valuesOf(kind: BodyKind, body: string | Uint8Array): unknown[] {
  if (typeof body !== 'string') return [];
  if (kind === 'json') return [JSON.parse(body)];
  if (kind === 'lines')
    return body
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  if (kind !== 'events') return [body];
  return [...body.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
}

function itemProblems(rule: ResponseRule, { contentType = '' }: OutgoingResponse, item: unknown): string[] {
  // The schema of a streamed text describes the whole text, and this is only a part of it.
  return typeof item === 'string' || item instanceof Uint8Array
    ? []
    : schemaProblems(rule.bodies.get(contentType)?.validate, item);
}

function schemaProblems(validate: ValidateFunction | undefined, value: unknown): string[] {
  if (validate === undefined || validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, keyword, message }) => {
    return `body${instancePath} ${keyword === 'false schema' ? 'must not be in a response' : message}`;
  });
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
