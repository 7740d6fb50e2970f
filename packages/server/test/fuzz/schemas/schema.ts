import { isDeepStrictEqual } from 'node:util';

/** The keywords of JSON Schema that requests are generated from, after `readSchema`: no references and no `allOf`. */
export type Schema = {
  /** One type, or one type and "null". */
  type?: TypeName | [TypeName, 'null'];
  enum?: unknown[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  /** Each branch of `oneOf` then lists its own values of that property, in an `enum`. */
  discriminator?: { propertyName: string };
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  minProperties?: number;
  maxProperties?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
};

export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

const numberWords = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'format'];

/** The keywords of each type; `enum`, `oneOf` and `anyOf` go with every type. */
const wordsOfType = new Map<unknown, readonly string[]>([
  ['null', []],
  ['boolean', []],
  ['integer', numberWords],
  ['number', numberWords],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['array', ['items', 'minItems', 'maxItems', 'uniqueItems']],
  ['object', ['required', 'properties', 'additionalProperties', 'minProperties', 'maxProperties']],
]);

const formatsOfType = new Map<unknown, readonly unknown[]>([
  ['integer', ['int32', 'int64']],
  ['number', ['float', 'double']],
  [
    'string',
    ['date-time', 'date', 'time', 'uuid', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uri-reference', 'byte'],
  ],
]);

/** Keywords that only describe a schema and restrict nothing in a request. */
const annotations = /^(title|description|example|examples|default|deprecated|writeOnly|x-.*)$/;

/**
 * `resolveReferences` records here which discriminator values select a branch. Without a mapping these are the names of
 * the branches, which are lost when references are resolved.
 */
export const DISCRIMINATOR_VALUES = 'x-discriminator-values';

type Node = Record<string, unknown>;

/**
 * Reads a schema without references. Refuses every keyword that the generators do not support, because no request would
 * violate a keyword that they ignore.
 *
 * @param where names the place, for the error
 */
export function readSchema(node: unknown, where: string): Schema {
  const { [DISCRIMINATOR_VALUES]: _, ...whole } = withoutAllOf(node, where);
  if (whole['oneOf'] !== undefined || whole['anyOf'] !== undefined) return readBranches(whole, where);
  const types = [whole['type'] ?? typeOfEnum(whole['enum'])].flat();
  const others = types.filter((type) => type !== 'null');
  if (others.length > 1) {
    const branches = types.map((type) => readSchema({ ...only(whole, type), type }, where));
    return { anyOf: branches };
  }
  return readTyped(whole, others[0] ?? types[0], types.length > others.length && others.length > 0, where);
}

function readTyped(node: Node, type: unknown, orNull: boolean, where: string): Schema {
  if (!isTypeName(type)) throw new Error(`${where}: the fuzzer does not know the type ${JSON.stringify(type)}.`);
  const words = wordsOfType.get(type) ?? [];
  for (const word of Object.keys(node)) {
    if (['type', 'enum', ...words].includes(word)) continue;
    throw new Error(
      `${where}: the fuzzer does not know the word "${word}"; teach it in packages/server/test/fuzz/schemas/.`,
    );
  }
  if (node['format'] !== undefined && !formatsOfType.get(type)?.includes(node['format'])) {
    throw new Error(`${where}: the fuzzer does not know the format ${JSON.stringify(node['format'])}.`);
  }
  const { items, properties, additionalProperties } = node;
  if (type === 'integer' && !Number.isInteger(node['multipleOf'] ?? 1)) {
    throw new Error(`${where}: the fuzzer does not know integers that are multiples of a fraction.`);
  }
  if (type === 'array' && items === undefined) {
    throw new Error(`${where}: the fuzzer does not know an array without "items".`);
  }
  return {
    ...node,
    type: orNull ? [type, 'null'] : type,
    ...(items === undefined ? {} : { items: readSchema(items, `${where}/0`) }),
    ...(isRecord(properties) ? { properties: readProperties(properties, where) } : {}),
    ...(isRecord(additionalProperties)
      ? { additionalProperties: readSchema(additionalProperties, `${where}/{name}`) }
      : {}),
  };
}

/** `oneOf` and `anyOf`: each branch also gets the keywords next to them, so that it is a complete schema. */
function readBranches(node: Node, where: string): Schema {
  const { oneOf, anyOf, discriminator, ...siblings } = node;
  if (oneOf !== undefined && anyOf !== undefined) {
    throw new Error(`${where}: the fuzzer does not know "oneOf" and "anyOf" in one schema.`);
  }
  const given = oneOf ?? anyOf;
  if (!Array.isArray(given) || given.length === 0) throw new Error(`${where}: the schema lists no branches.`);
  const tag = isRecord(discriminator) ? String(discriminator['propertyName']) : undefined;
  if (tag !== undefined && oneOf === undefined) {
    throw new Error(`${where}: the fuzzer does not know "discriminator" without "oneOf".`);
  }
  const branches = given.map((branch, index) => {
    const place = `${where} (branch ${index + 1})`;
    const whole = merged(withoutAllOf(branch, place), siblings, place);
    return readSchema(tag === undefined ? whole : withTag(whole, tag, place), place);
  });
  if (anyOf !== undefined) return { anyOf: branches };
  return tag === undefined ? { oneOf: branches } : { oneOf: branches, discriminator: { propertyName: tag } };
}

/** A branch that requires the discriminator values that select it. */
function withTag({ [DISCRIMINATOR_VALUES]: values, ...branch }: Node, tag: string, where: string): Node {
  const properties = isRecord(branch['properties']) ? branch['properties'] : {};
  const declared = withoutAllOf(properties[tag] ?? { type: 'string' }, where);
  const property = declared['enum'] === undefined ? { ...declared, enum: values } : declared;
  if (!Array.isArray(property['enum'])) {
    throw new Error(`${where}: the branch does not say which values of "${tag}" choose it; give it a "const".`);
  }
  return merged(branch, { type: 'object', required: [tag], properties: { ...properties, [tag]: property } }, where);
}

/** The keywords that restrict something, including those of `allOf`. `const` becomes an `enum` of one value. */
function withoutAllOf(node: unknown, where: string): Node {
  if (!isRecord(node)) throw new Error(`${where}: the fuzzer reads schemas that are objects only.`);
  const words = Object.entries(node).filter(([word]) => word === DISCRIMINATOR_VALUES || !annotations.test(word));
  const { allOf = [], const: constant, unevaluatedProperties, ...own } = Object.fromEntries(words);
  if (!Array.isArray(allOf)) throw new Error(`${where}: "allOf" must be a list.`);
  const parts = allOf.map((part) => withoutAllOf(part, where));
  const whole = parts.reduce((found: Node, part) => merged(found, part, where), {
    ...own,
    ...(constant === undefined ? {} : { enum: [constant] }),
  });
  if (unevaluatedProperties === undefined) return whole;
  if (unevaluatedProperties !== false || whole['oneOf'] !== undefined || whole['anyOf'] !== undefined) {
    throw new Error(`${where}: the fuzzer supports "unevaluatedProperties" only as false and next to "allOf".`);
  }
  return { ...whole, additionalProperties: false };
}

/** A schema for the values that both schemas allow. */
function merged(one: Node, other: Node, where: string): Node {
  holdClosed(one, other, where);
  holdClosed(other, one, where);
  const result: Node = { ...one };
  for (const [word, value] of Object.entries(other)) {
    result[word] = word in one ? joined(word, one[word], value, where) : value;
  }
  return result;
}

function joined(word: string, one: unknown, other: unknown, where: string): unknown {
  if (isDeepStrictEqual(one, other)) return one;
  if (typeof one === 'number' && typeof other === 'number' && /^(exclusiveM|m)(in|ax)/.test(word)) {
    return /in(imum|Length|Items|Properties)$/.test(word) ? Math.max(one, other) : Math.min(one, other);
  }
  if (isRecord(one) && isRecord(other) && word === 'properties') return mergedProperties(one, other, where);
  if (isRecord(one) && isRecord(other) && word === 'items') return { allOf: [one, other] };
  if (word === 'type') return commonTypes([one].flat(), [other].flat());
  if (word === 'uniqueItems') return true;
  if (Array.isArray(one) && Array.isArray(other) && word === 'required') return [...new Set([...one, ...other])];
  if (Array.isArray(one) && Array.isArray(other) && word === 'enum') {
    return one.filter((value) => other.some((candidate) => isDeepStrictEqual(candidate, value)));
  }
  throw new Error(`${where}: the fuzzer does not know two different "${word}" in one schema.`);
}

function mergedProperties(one: Node, other: Node, where: string): Node {
  return Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((name) => {
      if (!(name in one) || !(name in other)) return [name, one[name] ?? other[name]];
      return [name, merged(withoutAllOf(one[name], where), withoutAllOf(other[name], where), `${where}/${name}`)];
    }),
  );
}

/** `additionalProperties` only considers the properties next to it, so it would forbid those of the other part. */
function holdClosed(closed: Node, other: Node, where: string): void {
  if (closed['additionalProperties'] !== false) return;
  const known = Object.keys(isRecord(closed['properties']) ? closed['properties'] : {});
  const forbidden = Object.keys(isRecord(other['properties']) ? other['properties'] : {}).filter(
    (name) => !known.includes(name),
  );
  if (forbidden.length === 0) return;
  throw new Error(
    `${where}: "additionalProperties: false" forbids ${forbidden.join(', ')} of the other part; use "unevaluatedProperties".`,
  );
}

function commonTypes(one: unknown[], other: unknown[]): unknown[] {
  const found = one.flatMap((type) => {
    if (other.includes(type)) return [type];
    if (type === 'number' && other.includes('integer')) return ['integer'];
    return type === 'integer' && other.includes('number') ? ['integer'] : [];
  });
  return found;
}

/** The keywords that apply to one type of a schema with several types. */
function only(node: Node, type: unknown): Node {
  const words = wordsOfType.get(type) ?? [];
  const known = [...wordsOfType.values()].flat();
  return Object.fromEntries(
    Object.entries(node)
      .filter(([word]) => words.includes(word) || !known.includes(word))
      .map(([word, value]) => [word, word === 'enum' ? valuesOfType(value, type) : value]),
  );
}

function valuesOfType(values: unknown, type: unknown): unknown {
  return Array.isArray(values) ? values.filter((value) => typeOfEnum([value]) === type) : values;
}

function typeOfEnum(values: unknown): unknown {
  if (!Array.isArray(values)) return undefined;
  const types = [...new Set(values.map(typeOfValue))];
  return types.length === 1 ? types[0] : types;
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
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
