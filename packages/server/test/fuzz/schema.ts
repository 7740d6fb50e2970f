import fc, { type Arbitrary } from 'fast-check';
import { stringify } from 'lossless-json';
import { exactNumber } from '../../../service/src/openapi/parse-json.ts';
import { type Alphabet, integersOf, spellingsOf, stringsOf, textAlphabet } from './scalars.ts';

/** The keywords of JSON Schema that requests are generated from, after `readSchema`. */
export type Schema = {
  /** One type, or one type and "null". */
  type?: TypeName | [TypeName, 'null'];
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean;
  minProperties?: number;
  maxProperties?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
};

type TypeName = 'boolean' | 'integer' | 'string' | 'array' | 'object';

/** A part of the contract that no requests can be generated from. Its operation is not fuzzed. */
export class UnknownPartError extends Error {}

/** The keywords of each type; `enum` and `const` go with every type. */
const wordsOfType = new Map<unknown, readonly string[]>([
  ['boolean', []],
  ['integer', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'format']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['array', ['items', 'minItems', 'maxItems', 'uniqueItems']],
  ['object', ['required', 'properties', 'additionalProperties', 'minProperties', 'maxProperties']],
]);

const formats: readonly unknown[] = ['int64', 'date-time'];

/** Keywords that only describe a schema and restrict nothing in a request. */
const annotations = /^(title|description|example|examples|default|deprecated|writeOnly|x-.*)$/;

type Node = Record<string, unknown>;

/**
 * Reads a schema without references. Refuses every keyword that the generators do not support, because no request would
 * violate a keyword that they ignore.
 *
 * @param where names the place, for the error
 */
export function readSchema(given: unknown, where: string): Schema {
  if (!isRecord(given)) throw new UnknownPartError(`${where}: the schema is not an object.`);
  const { const: constant, ...rest } = Object.fromEntries(
    Object.entries(given).filter(([word]) => !annotations.test(word)),
  );
  const node: Node = constant === undefined ? rest : { ...rest, enum: [constant] };
  const [type, ...others] = [node['type'] ?? typeOfEnum(node['enum'])].flat().toSorted(nullLast);
  if (!isTypeName(type) || others.some((other) => other !== 'null')) {
    throw new UnknownPartError(`${where}: the fuzzer does not know the type ${JSON.stringify(node['type'])}.`);
  }
  const { items, properties, additionalProperties = true, format = 'int64' } = node;
  const words = ['type', 'enum', ...(wordsOfType.get(type) ?? [])];
  const unknown = Object.keys(node).find((word) => !words.includes(word));
  if (unknown !== undefined || !formats.includes(format) || typeof additionalProperties !== 'boolean') {
    throw new UnknownPartError(`${where}: the fuzzer does not know ${unknown ?? JSON.stringify(node)}.`);
  }
  return {
    ...node,
    type: others.length > 0 ? [type, 'null'] : type,
    ...(type === 'array' ? { items: readSchema(items, `${where}/0`) } : {}),
    ...(isRecord(properties) ? { properties: readProperties(properties, where) } : {}),
  };
}

function nullLast(one: unknown, other: unknown): number {
  return Number(one === 'null') - Number(other === 'null');
}

function typeOfEnum(values: unknown): unknown {
  if (!Array.isArray(values)) return undefined;
  return [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))];
}

function readProperties(properties: Node, where: string): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, readSchema(schema, `${where}/${name}`)]),
  );
}

function isTypeName(type: unknown): type is TypeName {
  return wordsOfType.has(type);
}

/** The type of a schema, which may also allow null. */
export function typeOf({ type }: Schema): TypeName | undefined {
  return Array.isArray(type) ? type[0] : type;
}

export function isNullable({ type }: Schema): boolean {
  return Array.isArray(type);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every JSON value that a schema allows. Numbers keep their spelling (LosslessNumber). */
export function valuesOf(schema: Schema): Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const values = valuesOfType(schema);
  return isNullable(schema) ? fc.oneof({ weight: 4, arbitrary: values }, { weight: 1, arbitrary: nulls }) : values;
}

const nulls = fc.constant(null);

function valuesOfType(schema: Schema): Arbitrary<unknown> {
  switch (typeOf(schema)) {
    case 'integer':
      return integersOf(schema).chain(spellingsOf);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return arraysOf(schema);
    case 'object':
      return objectsOf(schema);
    default:
      return stringsOf(schema, textAlphabet);
  }
}

/** Every text that a schema allows for a parameter of one value. */
export function textsOf(schema: Schema, alphabet: Alphabet): Arbitrary<string> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum.map(String));
  const type = typeOf(schema);
  if (type === 'integer') return integersOf(schema).map(String);
  if (type === 'boolean') return fc.boolean().map(String);
  if (type === 'string') return stringsOf(schema, alphabet);
  throw new Error(`The fuzzer does not know how a parameter of type ${type} is written.`);
}

/** The objects that a schema allows. `size` overrides the allowed number of properties. */
export function objectsOf(
  schema: Schema,
  size: { min?: number; max?: number } = {},
): Arbitrary<Record<string, unknown>> {
  const { properties = {}, required = [] } = schema;
  const { min = schema.minProperties ?? 0, max = schema.maxProperties ?? Number.POSITIVE_INFINITY } = size;
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const maxLength = Math.min(optional.length, Math.max(0, max - required.length));
  const minLength = Math.min(maxLength, Math.max(0, min - required.length));
  return fc.subarray(optional, { minLength, maxLength }).chain((some) => {
    const names = [...required, ...some];
    const values = names.map((name): [string, Arbitrary<unknown>] => [name, valuesOf(properties[name] ?? anything)]);
    const own = fc.record(Object.fromEntries(values), { noNullPrototype: true });
    const orders = fc.shuffledSubarray(names, { minLength: names.length });
    return fc.tuple(own, orders).map(([object, order]) => inOrder(object, order));
  });
}

/** A required property that the schema does not describe may have any value. */
const anything: Schema = { type: 'boolean' };

function inOrder(object: Record<string, unknown>, order: string[]): Record<string, unknown> {
  return Object.fromEntries(order.filter((name) => Object.hasOwn(object, name)).map((name) => [name, object[name]]));
}

/** The arrays that a schema allows. `length` overrides the allowed number of entries. */
export function arraysOf(schema: Schema, length: { min?: number; max?: number } = {}): Arbitrary<unknown[]> {
  const { items = {}, minItems = 0, uniqueItems } = schema;
  const { min = minItems, max = schema.maxItems ?? minItems + 5 } = length;
  // An array of 100 entries tests no more than one of 10, and takes longer to shrink.
  const arrays = (most: number) =>
    uniqueItems === true
      ? fc.uniqueArray(valuesOf(items), { minLength: min, maxLength: most, selector: identityOf })
      : fc.array(valuesOf(items), { minLength: min, maxLength: most });
  return arrays(max);
}

/** The same text for values that JSON Schema treats as equal: 1 and 1.0, and objects with properties in any order. */
export function identityOf(value: unknown): string {
  return stringify(sorted(asSent(value))) ?? '';
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, entry]) => [name, sorted(entry)]),
  );
}

/**
 * A generated value as a server parses it. A number that cannot be represented exactly becomes NaN, which no schema
 * allows.
 */
function asSent(value: unknown): unknown {
  const text = stringify(value) ?? 'null';
  return JSON.parse(text, (_, entry, { source = '' }: { source?: string } = {}) =>
    typeof entry === 'number' ? numberOf(source) : entry,
  );
}

function numberOf(literal: string): number {
  return exactNumber(literal) ?? (/^-?[0-9]+$/.test(literal) ? Number(literal) : Number.NaN);
}
