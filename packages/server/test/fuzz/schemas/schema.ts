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

export type TypeName = 'boolean' | 'integer' | 'string' | 'array' | 'object';

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
