import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type OpenApiDocument, targetOf, withoutDiscriminator, withoutExamples } from './document.ts';

/** The contract with closed schemas, and what compiles one of them. */
export function compilerOf(contract: OpenApiDocument) {
  const document: OpenApiDocument = Object(closing(contract, 'writeOnly')(contract));
  return { document, compile: openCompilerOf(document) };
}

/** Compiles schemas as the contract has them. */
export function openCompilerOf(document: OpenApiDocument): (schema: object) => ValidateFunction {
  // The linter already checks the contract; compiling the meta-schema here would add 80 ms to the start.
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: true,
    allErrors: true,
    // A property named `toString` is only present if the body has it.
    ownProperties: true,
    // 0.07 is a multiple of 0.01, although binary fractions are not exact.
    multipleOfPrecision: 9,
    meta: false,
    validateSchema: false,
    // Ajv would warn about each format that it does not know. It ignores them, as JSON Schema allows.
    logger: false,
    // One function for each component is less code than a copy wherever it is used, and optimizing takes half of the time.
    inlineRefs: false,
    code: { optimize: false },
  });
  addFormats.default(ajv);
  ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
  ajv.addSchema({ $id: 'contract', components: withoutExamples(document.components) });
  return (schema) => {
    // Make references that start at the root of the document refer to the schema with the ID `contract`.
    const text = JSON.stringify(withoutExamples(schema)).replaceAll('"#/', '"contract#/');
    // Ajv would compile a component again for each schema that refers to it.
    for (const [reference] of text.matchAll(/contract#[^"]+/g)) ajv.getSchema(reference);
    return ajv.compile(JSON.parse(text));
  };
}

/** Keywords whose schemas apply to the same value as the schema that has them. */
const inPlace = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'];
/** Keywords with values, which may look like schemas. */
const withValues = ['const', 'enum', 'default', 'example', 'examples'];

/**
 * Closes the schemas in a part of the contract. Clients must ignore unknown properties, so that `v1` can grow, but this server must not send
 * properties that the contract does not list, nor writeOnly ones, and a request has no readOnly ones. A composition and its parts stay open,
 * because each lists only some of the properties.
 */
export function closing(document: OpenApiDocument, hidden: Hidden): (part: unknown) => unknown {
  const schemas = [...schemasIn(document)];
  const open = new Set(schemas.filter(isComposition).flatMap((schema) => [...partsOf(schema, document)]));
  const isUnsent = (property: unknown) => isHidden(property, document, hidden);
  const unsent = new Set(
    schemas.flatMap(({ properties }) =>
      Object.keys(Object(properties)).filter((name) => isUnsent(Object(properties)[name])),
    ),
  );
  return close;

  function close(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(close);
    if (!isObject(node)) return node;
    const properties = Object(node['properties']);
    const isSent = (name: string) =>
      !unsent.has(name) || (Object.hasOwn(properties, name) && !isUnsent(properties[name]));
    const isClosed = 'properties' in node && [node['type']].flat().includes('object') && !open.has(node);
    const changed = mapValues(node, (value, keyword) => {
      if (withValues.includes(keyword)) return value;
      if (keyword === 'required' && Array.isArray(value)) return value.filter(isSent);
      if (keyword !== 'properties' || !isObject(value)) return close(value);
      return mapValues(value, (property) => (isUnsent(property) ? false : close(property)));
    });
    const { mapping } = Object(changed['discriminator']);
    // Without a mapping, `oneOf` says the same.
    if (isObject(mapping)) return withoutDiscriminator(changed);
    return isClosed ? { additionalProperties: false, ...changed } : changed;
  }
}

type Schema = Record<string, unknown>;

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues(values: Schema, change: (value: unknown, name: string) => unknown): Schema {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
}

/** Every object in a document: its schemas, and others, which have no keywords of schemas. */
function* schemasIn(node: unknown): Generator<Schema> {
  if (typeof node !== 'object' || node === null) return;
  if (isObject(node)) yield node;
  for (const child of Object.values(node)) yield* schemasIn(child);
}

/** A single alternative next to `null` is none. A schema may also require properties that it does not list. */
function isComposition(schema: Schema): boolean {
  const { anyOf, oneOf, required = [], properties } = schema;
  const alternatives = [anyOf, oneOf].flat().filter((part) => isObject(part) && part['type'] !== 'null');
  const isListed = (name: unknown) => Object.hasOwn(Object(properties), String(name));
  const isExtended = ('$ref' in schema && 'properties' in schema) || ![required].flat().every(isListed);
  return isExtended || alternatives.length > 1 || ['allOf', 'if', 'dependentSchemas'].some((name) => name in schema);
}

/** A schema, and all that apply to the same value. @param followed the references that were followed */
function* partsOf(schema: unknown, document: OpenApiDocument, followed = new Set<string>()): Generator<Schema> {
  if (!isObject(schema)) return;
  yield schema;
  const { $ref } = schema;
  if (typeof $ref === 'string' && !followed.has($ref)) {
    followed.add($ref);
    yield* partsOf(targetOf(document, $ref), document, followed);
  }
  for (const keyword of inPlace) {
    const value = schema[keyword];
    const parts = keyword === 'dependentSchemas' ? Object.values(Object(value)) : [value].flat();
    for (const part of parts) yield* partsOf(part, document, followed);
  }
}

type Hidden = 'readOnly' | 'writeOnly';

function isHidden(schema: unknown, document: OpenApiDocument, hidden: Hidden): boolean {
  if (!isObject(schema)) return false;
  const { [hidden]: isMarked, $ref } = schema;
  return isMarked === true || (typeof $ref === 'string' && isHidden(targetOf(document, $ref), document, hidden));
}

export function schemaProblems(validate: ValidateFunction | undefined, value: unknown): string[] {
  if (validate === undefined || isValid(validate, value)) return [];
  return (validate.errors ?? []).map(({ instancePath, keyword, message, params }) => {
    const name = params['additionalProperty'] ?? params['unevaluatedProperty'];
    const what = keyword === 'false schema' ? 'must not be in a response' : message;
    return `body${instancePath} ${what}${name === undefined ? '' : `, such as ${name}`}`;
  });
}

/** A schema that leads back to itself for the same value, such as a base that lists its variants, allows anything. */
function isValid(validate: ValidateFunction, value: unknown): boolean {
  try {
    return validate(value);
  } catch (error) {
    if (error instanceof RangeError) return true;
    throw error;
  }
}
