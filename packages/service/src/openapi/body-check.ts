import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OperationFacts } from '../common/facts.ts';
import { type ContractDocument, operationIn, resolved } from './document.ts';

/** What a body that is JSON has that its response does not allow. Without a server, for the examples of a contract. */
export type BodyCheck = (
  operation: Pick<OperationFacts, 'method' | 'path'>,
  status: number,
  mediaType: string,
  body: unknown,
) => string[];

/** @returns a check, which throws an Error if a schema cannot be compiled */
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

/** Keywords whose schemas apply to the same value as the schema that has them. */
const inPlace = new Set(['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'not', 'dependentSchemas']);
/** Keywords with schemas of parts of the value. */
const nested = new Set(['items', 'prefixItems', 'contains', 'additionalProperties', 'unevaluatedProperties']);
const byName = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const composing = ['allOf', 'anyOf', 'if', 'dependentSchemas'];
const listing = ['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'oneOf', '$ref'];

/**
 * The contract with closed schemas. Clients must ignore unknown properties, so that `v1` can grow, but this server must not send
 * properties that the contract does not list, nor writeOnly ones.
 *
 * An object gets `additionalProperties: false`. A composition gets `unevaluatedProperties: false` as a whole: its parts stay open, because
 * each lists only some of the properties. So each schema is there twice more: in `components.open` for references from compositions, and in
 * `components.base` for variants, which contain the base that names them, without the alternatives that lead back to them.
 */
function closed(document: ContractDocument): ContractDocument;
function closed(document: ContractDocument): unknown {
  const json = JSON.stringify(document);
  // Next to dependentSchemas, Ajv finds properties unevaluated that are listed.
  const whole = json.includes('"dependentSchemas"') ? {} : { unevaluatedProperties: false };
  const unsent = json.includes('"writeOnly":true') ? new Set(writeOnlyNames(document)) : new Set<string>();

  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (!isObject(node)) return node;
    return mapValues(node, (child, key) => {
      if (key === 'schemas' && isObject(child)) return mapValues(child, close);
      return key === 'schema' ? close(child) : visit(child);
    });
  };
  const visited = Object(visit(document));
  const schemas = Object(document.components?.['schemas'] ?? {});
  const groups = { open: mapValues(schemas, open), base: mapValues(schemas, base) };
  return { ...visited, components: { ...visited.components, ...groups } };

  function close(schema: unknown): unknown {
    if (!isObject(schema)) return schema;
    if (isComposition(schema)) {
      const lists = [...partsOf(schema, document)].some((part) => 'properties' in part);
      return { ...(lists ? whole : {}), ...Object(open(schema)) };
    }
    const isClosed = 'properties' in schema && [schema['type']].flat().includes('object');
    const changed = withSchemas(schema, (part, keyword) => (keyword === 'oneOf' ? close(part) : open(part)));
    return isClosed ? { additionalProperties: false, ...changed } : changed;
  }

  /** A part of a composition. @param name that of its schema, if it is in the components */
  function open(part: unknown, name?: string): unknown {
    if (!isObject(part)) return part;
    const changed = withSchemas(part, (inner, keyword) => {
      const isFree = (keyword === 'anyOf' || keyword === 'oneOf') && [...partsOf(inner, document)].every(saysNothing);
      // It allows any properties, as it would alone.
      return isFree ? { additionalProperties: true, ...Object(inner) } : open(inner, name);
    });
    const { $ref } = part;
    return typeof $ref === 'string' ? { ...changed, $ref: openReference($ref, name) } : changed;
  }

  function openReference(reference: string, name: string | undefined): string {
    const [, target, rest] = /^#\/components\/schemas\/([^/]+)(.*)$/.exec(reference) ?? [];
    if (target === undefined) return reference;
    const group = name !== undefined && leadsTo({ $ref: reference }, name) ? 'base' : 'open';
    return `#/components/${group}/${target}${rest}`;
  }

  /** A schema without the alternatives that contain it. */
  function base(schema: unknown, name: string): unknown {
    const kept = Object.entries(Object(schema)).flatMap(([keyword, value]): [string, unknown][] => {
      if (!Array.isArray(value) || (keyword !== 'oneOf' && keyword !== 'anyOf')) return [[keyword, value]];
      const others = value.filter((part) => !leadsTo(part, name));
      return others.length === 0 ? [] : [[keyword, others]];
    });
    return open(Object.fromEntries(kept), name);
  }

  function leadsTo(part: unknown, name: string): boolean {
    const followed = new Set<string>();
    for (const _ of partsOf(part, document, followed)) if (followed.has(`#/components/schemas/${name}`)) return true;
    return false;
  }

  /** The schema with its properties and items closed, and with the schemas for the same value changed. */
  function withSchemas(schema: Schema, change: (part: unknown, keyword: string) => unknown): Schema {
    const properties = Object(schema['properties']);
    return mapValues(schema, (value, keyword) => {
      if (keyword === 'properties') {
        return mapValues(properties, (property) => (isWriteOnly(property, document) ? false : close(property)));
      }
      if (keyword === 'required' && Array.isArray(value)) {
        const isSent = (name: string) => Object.hasOwn(properties, name) && !isWriteOnly(properties[name], document);
        return value.filter((name) => !unsent.has(name) || isSent(name));
      }
      const each = (part: unknown) => (inPlace.has(keyword) ? change(part, keyword) : close(part));
      if (byName.has(keyword) && isObject(value)) return mapValues(value, each);
      if (!inPlace.has(keyword) && !nested.has(keyword)) return value;
      return Array.isArray(value) ? value.map(each) : each(value);
    });
  }
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

/** A schema, and all that apply to the same value. @param followed the references that were followed */
function* partsOf(schema: unknown, document: ContractDocument, followed = new Set<string>()): Generator<Schema> {
  if (!isObject(schema)) return;
  yield schema;
  const { $ref } = schema;
  if (typeof $ref === 'string' && !followed.has(decodeURIComponent($ref))) {
    followed.add(decodeURIComponent($ref));
    yield* partsOf(targetOf($ref, document), document, followed);
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (!inPlace.has(keyword) || keyword === 'not') continue;
    const parts = keyword === 'dependentSchemas' ? Object.values(Object(value)) : [value].flat();
    for (const part of parts) yield* partsOf(part, document, followed);
  }
}

function saysNothing(schema: Schema): boolean {
  return !['properties', 'required', 'not', 'const', 'enum', ...inPlace].some((keyword) => keyword in schema);
}

function isWriteOnly(schema: unknown, document: ContractDocument): boolean {
  if (!isObject(schema)) return false;
  const { writeOnly, $ref } = schema;
  return writeOnly === true || (typeof $ref === 'string' && isWriteOnly(targetOf($ref, document), document));
}

function* writeOnlyNames(document: ContractDocument, node: unknown = document): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, property] of Object.entries('properties' in node ? Object(node.properties) : {})) {
    if (isWriteOnly(property, document)) yield name;
  }
  for (const child of Object.values(node)) yield* writeOnlyNames(document, child);
}

function targetOf(reference: string, document: ContractDocument): unknown {
  const keys = decodeURIComponent(reference).split('/').slice(1);
  return keys
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, key) => (Object.hasOwn(Object(node), key) ? Object(node)[key] : undefined), document);
}

export function schemaProblems(validate: ValidateFunction | undefined, value: unknown): string[] {
  if (validate === undefined || validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, keyword, message, params }) => {
    const name = params['additionalProperty'] ?? params['unevaluatedProperty'];
    const what = keyword === 'false schema' ? 'must not be in a response' : message;
    return `body${instancePath} ${what}${name === undefined ? '' : `, such as ${name}`}`;
  });
}
