import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OperationFacts } from '../common/contract.ts';
import { type ContractDocument, operationIn, resolved } from './document.ts';

/** What a body that is JSON has that its response does not allow. Without a server, for the examples of a contract. */
export type BodyCheck = (
  operation: Pick<OperationFacts, 'method' | 'path'>,
  status: number,
  mediaType: string,
  body: unknown,
) => string[];

/**
 * @param json the contract
 * @returns a check, which throws an Error if a schema cannot be compiled
 */
export function createBodyCheck(json: string): BodyCheck {
  const { document, compile } = compilerOf(JSON.parse(json));
  return (operation, status, mediaType, body) => {
    const response = resolved(operationIn(document, operation).responses?.[status], document);
    const { schema } = response?.content?.[mediaType] ?? {};
    return schema === undefined ? [] : schemaProblems(compile(schema), body);
  };
}

/** The contract with closed schemas, and what compiles one of them. */
export function compilerOf(contract: ContractDocument) {
  const document = closed(contract);
  // The linter already checks the contract; compiling the meta-schema here would add 80 ms to the start.
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: true,
    allErrors: true,
    // A property named `toString` is only present if the body has it.
    ownProperties: true,
    meta: false,
    validateSchema: false,
    // Ajv would warn about each format that it does not know. It ignores them, as JSON Schema allows.
    logger: false,
  });
  addFormats.default(ajv);
  ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
  ajv.addSchema({ $id: 'contract', ...document });
  // Make references that start at the root of the document refer to the schema with the ID `contract`.
  const compile = (schema: object): ValidateFunction =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/')));
  return { document, compile };
}

/**
 * The contract with closed schemas. Clients must ignore unknown properties, so that `v1` can grow, but this server must not send
 * properties that the contract does not list, nor writeOnly ones.
 */
function closed(document: ContractDocument): ContractDocument;
function closed(document: ContractDocument): unknown {
  // Of the rewritten document: what is closed apart leads to schemas by identity.
  const given = withoutDependentSchemas(document);
  const { close, closedApart } = closerOf(given);
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (!isObject(node)) return node;
    return mapValues(node, (child, key) => {
      if (key === 'schemas' && isObject(child)) return mapValues(child, close);
      return key === 'schema' ? close(child) : visit(child);
    });
  };
  const visited = Object(visit(given));
  // After the visit, which finds the schemas to close apart.
  return { ...visited, components: { ...visited.components, [apartGroup]: closedApart() } };
}

/** Writes `dependentSchemas` as conditions: next to them, Ajv finds properties unevaluated that are listed. */
function withoutDependentSchemas<Node>(node: Node): Node;
function withoutDependentSchemas(node: unknown): unknown {
  if (Array.isArray(node)) return node.map((child) => withoutDependentSchemas(child));
  if (!isObject(node)) return node;
  const { dependentSchemas, ...rest } = mapValues(node, (child) => withoutDependentSchemas(child));
  if (dependentSchemas === undefined) return rest;
  if (!isObject(dependentSchemas) || !Object.values(dependentSchemas).every(isObject))
    return { dependentSchemas, ...rest };
  const conditions = Object.entries(dependentSchemas).map(([name, schema]) => ({
    if: { required: [name] },
    // biome-ignore lint/suspicious/noThenProperty: A keyword of JSON Schema.
    then: schema,
  }));
  return { ...rest, allOf: [rest['allOf'] ?? [], conditions].flat() };
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

/** What a schema does not allow, in words. */
export function schemaProblems(validate: ValidateFunction | undefined, value: unknown): string[] {
  if (validate === undefined || validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, keyword, message, params }) => {
    const name = params['additionalProperty'] ?? params['unevaluatedProperty'];
    const what = keyword === 'false schema' ? 'must not be in a response' : message;
    return `body${instancePath} ${what}${name === undefined ? '' : `, such as ${name}`}`;
  });
}
