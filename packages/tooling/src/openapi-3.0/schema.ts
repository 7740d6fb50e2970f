import { isDeepStrictEqual } from 'node:util';
import { listOf } from '../common/json.ts';

export type Node = Record<string, unknown>;

/** A keyword that has no equivalent in OpenAPI 3.0, and a sentence that says so and what to write instead. */
export type Refusal = { word: string; message: string };

/** Finds the target of a reference. */
export type FindTarget = (reference: string) => unknown;

/** Keywords that mean the same in both versions and contain no schemas. */
const sameInBoth = new Set([
  ...['title', 'description', 'example', 'default', 'deprecated', 'readOnly', 'writeOnly', 'xml', 'externalDocs'],
  ...['format', 'pattern', 'minLength', 'maxLength', 'multipleOf', 'minItems', 'maxItems', 'uniqueItems'],
  ...['minProperties', 'maxProperties', 'discriminator'],
]);

/** Keywords that `schemaAs30` rewrites. */
const rewritten = new Set([
  ...['$ref', '$comment', 'type', 'enum', 'const', 'examples', 'required', 'contentEncoding', 'contentMediaType'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'unevaluatedProperties'],
  ...['allOf', 'anyOf', 'oneOf', 'not', 'items', 'properties', 'additionalProperties'],
]);

/** What to write instead of the keywords that OpenAPI 3.0 lacks. */
const alternatives: [words: string[], sentence: string][] = [
  [['patternProperties', 'propertyNames'], 'List the properties, or use additionalProperties.'],
  [['prefixItems', 'unevaluatedItems', 'contains', 'minContains', 'maxContains'], 'Use items.'],
  [['if', 'then', 'else', 'dependentRequired', 'dependentSchemas'], 'Use oneOf with a schema for each case.'],
  [['$defs'], 'Move the schemas to components/schemas, and refer to them there.'],
];

function alternativeTo(word: string): string {
  return alternatives.find(([words]) => words.includes(word))?.[1] ?? 'Remove it.';
}

/** The keywords of a schema, without those of the schemas in it, that OpenAPI 3.0 cannot express. */
export function refusalsOf(schema: unknown): Refusal[] {
  if (!isNode(schema)) return [];
  const unknown = Object.keys(schema)
    .filter((word) => !sameInBoth.has(word) && !rewritten.has(word) && !word.startsWith('x-'))
    .map((word) => ({ word, message: refusal(word, alternativeTo(word)) }));
  const { unevaluatedProperties, anyOf, oneOf } = schema;
  const isClosed = unevaluatedProperties === false && (anyOf ?? oneOf) === undefined;
  if (unevaluatedProperties === undefined || isClosed) return unknown;
  const message = refusal(
    'unevaluatedProperties',
    'Write it as false next to allOf, or write additionalProperties: false.',
  );
  return [...unknown, { word: 'unevaluatedProperties', message }];
}

/** The sentence about a part of a contract that OpenAPI 3.0 lacks. */
export function refusal(what: string, alternative: string): string {
  return `OpenAPI 3.0 has no ${what}, and some code generators read the contract in that version. ${alternative}`;
}

/**
 * A schema of OpenAPI 3.1 as one of OpenAPI 3.0 that allows the same values.
 *
 * @param where JSON pointer of the schema, for the error
 * @throws Error that names the first keyword that OpenAPI 3.0 cannot express
 */
export function schemaAs30(schema: unknown, where: string, find: FindTarget): Node {
  if (schema === true) return {};
  if (!isNode(schema)) return { not: {} };
  const [refused] = refusalsOf(schema);
  if (refused !== undefined) throw new Error(`${where}/${refused.word}: ${refused.message}`);
  const { $ref: reference, ...words } = schema;
  // Siblings of a reference are ignored in OpenAPI 3.0.
  if (reference !== undefined && Object.keys(words).length === 0) return { $ref: reference };
  const parts = [...(reference === undefined ? [] : [{ $ref: reference }]), ...listOf(words['allOf'])];
  const whole = parts.length === 0 ? words : { ...words, allOf: parts };
  const nested = (part: unknown, key: string) => schemaAs30(part, `${where}/${key}`, find);
  const converted: Node = {
    ...Object.fromEntries(Object.entries(whole).filter(([word]) => sameInBoth.has(word) || word.startsWith('x-'))),
    ...formatWords(whole),
    ...boundWords(whole, 'minimum', 'exclusiveMinimum', Math.max),
    ...boundWords(whole, 'maximum', 'exclusiveMaximum', Math.min),
    ...exampleWords(whole),
    // An empty list is invalid in OpenAPI 3.0.
    ...(listOf(whole['required']).length === 0 ? {} : { required: whole['required'] }),
    ...listsOfSchemas(whole, nested),
    ...propertyWords(whole, where, nested, find),
    ...('not' in whole ? { not: nested(whole['not'], 'not') } : {}),
    ...('items' in whole ? { items: nested(whole['items'], 'items') } : {}),
  };
  return withValues(withType(converted, whole['type']), whole, where);
}

/** `type`, and `nullable` in place of the type "null". An array needs `items` in OpenAPI 3.0. */
function withType(converted: Node, type: unknown): Node {
  const types = type === undefined ? [] : [type].flat();
  const others = types.filter((one) => one !== 'null');
  const nullable = others.length < types.length ? { nullable: true } : {};
  const itemsOf = (one: unknown) => (one === 'array' ? { items: converted['items'] ?? {} } : {});
  const [first, ...more] = others;
  if (types.length === 0) return converted;
  if (first === undefined) return { ...converted, ...onlyNull };
  if (more.length === 0) return { type: first, ...nullable, ...converted, ...itemsOf(first) };
  // `nullable` only has an effect next to `type`.
  const anyType = { anyOf: others.map((one) => ({ type: one, ...nullable, ...itemsOf(one) })) };
  return { ...converted, allOf: [...listOf(converted['allOf']), anyType] };
}

/** OpenAPI 3.0 has no type for null alone. */
const onlyNull = { type: 'string', nullable: true, enum: [null] };

/** `enum`, and an `enum` of one in place of `const`. */
function withValues(converted: Node, schema: Node, where: string): Node {
  if (converted['enum'] !== undefined) return converted;
  const { enum: listed, const: constant } = schema;
  if (!('const' in schema)) return listed === undefined ? converted : { ...converted, enum: listed };
  const values = listOf(listed ?? [constant]).filter((value) => isDeepStrictEqual(value, constant));
  if (values.length === 0) throw new Error(`${where}/const: No value is both the const and in the enum. Remove one.`);
  return constant === null ? { ...converted, ...onlyNull } : { ...converted, enum: values };
}

function formatWords({ format, contentEncoding, contentMediaType }: Node): Node {
  if (format !== undefined || (contentEncoding ?? contentMediaType) === undefined) return {};
  if (contentEncoding === undefined) return { format: 'binary' };
  return { format: contentEncoding === 'base64' ? 'byte' : contentEncoding };
}

/** An exclusive bound is a number in OpenAPI 3.1, and a boolean next to the inclusive one in OpenAPI 3.0. */
function boundWords(schema: Node, inclusive: string, exclusive: string, tighter: typeof Math.max): Node {
  const [bound, beyond] = [schema[inclusive], schema[exclusive]];
  if (typeof beyond !== 'number') return bound === undefined ? {} : { [inclusive]: bound };
  if (typeof bound === 'number' && bound !== beyond && tighter(bound, beyond) === bound) return { [inclusive]: bound };
  return { [inclusive]: beyond, [exclusive]: true };
}

function exampleWords({ example, examples }: Node): Node {
  const [first] = listOf(examples);
  return example === undefined && first !== undefined ? { example: first } : {};
}

type Nested = (part: unknown, key: string) => Node;

function listsOfSchemas(schema: Node, nested: Nested): Node {
  const given = ['allOf', 'anyOf', 'oneOf'].filter((word) => schema[word] !== undefined);
  return Object.fromEntries(
    given.map((word) => [word, listOf(schema[word]).map((part, index) => nested(part, `${word}/${index}`))]),
  );
}

function propertyWords(schema: Node, where: string, nested: Nested, find: FindTarget): Node {
  const own = Object.entries(nodeOf(schema['properties'])).map(([name, property]): [string, Node] => [
    name,
    nested(property, `properties/${name}`),
  ]);
  const { additionalProperties: additional } = schema;
  const converted = Object.fromEntries(own);
  const listed = own.length === 0 ? {} : { properties: converted };
  if ('unevaluatedProperties' in schema && additional === undefined) {
    // The schema itself lists the properties of its parts, because `additionalProperties` only considers those next to it.
    const others = propertiesOfParts(schema, where, find).map((name): [string, Node] => [name, {}]);
    return { properties: { ...Object.fromEntries(others), ...converted }, additionalProperties: false };
  }
  if (additional === undefined || typeof additional === 'boolean') {
    return additional === undefined ? listed : { ...listed, additionalProperties: additional };
  }
  return { ...listed, additionalProperties: nested(additional, 'additionalProperties') };
}

function propertiesOfParts({ allOf }: Node, where: string, find: FindTarget): string[] {
  return listOf(allOf).flatMap((part) => {
    const { $ref: reference, ...words } = nodeOf(part);
    const target =
      typeof reference === 'string' ? [...propertiesOfParts({ allOf: [find(reference)] }, where, find)] : [];
    if (['anyOf', 'oneOf', 'additionalProperties'].some((word) => words[word] !== undefined)) {
      const alternative = 'Write additionalProperties: false in each schema instead.';
      throw new Error(`${where}: ${refusal('unevaluatedProperties next to parts with anyOf or oneOf', alternative)}`);
    }
    return [...target, ...Object.keys(nodeOf(words['properties'])), ...propertiesOfParts(words, where, find)];
  });
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function nodeOf(value: unknown): Node {
  return isNode(value) ? value : {};
}
