import fc, { type Arbitrary } from 'fast-check';
import { LosslessNumber } from 'lossless-json';
import { pointerStep } from '../../../service/src/openapi/parse-json.ts';
import {
  type Alphabet,
  integersBeyond,
  stringsOffFormat,
  stringsOffPattern,
  stringsOfWrongLength,
  textAlphabet,
} from './scalars.ts';
import { arraysOf, identityOf, isNullable, objectsOf, type Schema, typeOf, valuesOf } from './schema.ts';

/** JSON values without other problems: a number that cannot be represented exactly would be refused for that reason. */
const plainJson: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false),
  fc.integer(),
  fc.string(),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.dictionary(fc.string(), fc.string(), { maxKeys: 3, noNullPrototype: true }),
);

/** One constraint of a schema, and values that violate it and no other. */
export type Violation<Value> = {
  /** The keyword of JSON Schema that is violated. */
  word: string;
  /** The place that a response names: the schema's own, with the names of properties below it. */
  where: string;
  /** Whether a response may also name places below that one. */
  below?: boolean;
  values: Arbitrary<Value>;
};

/** A violation of each constraint of a schema, including those of its properties and items. */
export function violationsOf(schema: Schema, where: string): Violation<unknown>[] {
  const type = { word: 'type', where, values: ofOtherType(schema) };
  if (schema.enum !== undefined) return [type, { word: 'enum', where, values: offEnum(schema.enum, textAlphabet) }];
  switch (typeOf(schema)) {
    case 'integer':
      return [
        type,
        ...beyond(schema, where).map((violation) => ({ ...violation, values: literals(violation.values) })),
      ];
    case 'boolean':
      return [type];
    case 'array':
      return [type, ...arrayViolations(schema, where)];
    case 'object':
      return [type, ...objectViolations(schema, where)];
    default:
      return [type, ...stringViolations(schema, where, textAlphabet)];
  }
}

/**
 * The same for the text of a parameter. Every value is a text, so only one that is not a number or boolean can violate
 * `type`.
 */
export function textViolationsOf(schema: Schema, where: string, alphabet: Alphabet): Violation<string>[] {
  if (schema.enum !== undefined) return [{ word: 'enum', where, values: offEnum(schema.enum.map(String), alphabet) }];
  const name = typeOf(schema);
  if (name === 'string') return stringViolations(schema, where, alphabet);
  const type = { word: 'type', where, values: offType(schema, alphabet) };
  return name === 'integer' ? [type, ...beyond(schema, where)] : [type];
}

function beyond(schema: Schema, where: string): Violation<string>[] {
  return integersBeyond(schema).map(({ word, values }) => ({ word, where, values: values.map(String) }));
}

function literals(values: Arbitrary<string>): Arbitrary<LosslessNumber> {
  return values.map((literal) => new LosslessNumber(literal));
}

function stringViolations(schema: Schema, where: string, alphabet: Alphabet): Violation<string>[] {
  const lengths = stringsOfWrongLength(schema, alphabet).map((violation) => ({ ...violation, where }));
  return [
    ...lengths,
    ...(schema.pattern === undefined ? [] : [{ word: 'pattern', where, values: stringsOffPattern(schema, alphabet) }]),
    ...(schema.format === undefined ? [] : [{ word: 'format', where, values: stringsOffFormat(alphabet) }]),
  ];
}

function objectViolations(schema: Schema, where: string): Violation<unknown>[] {
  const { properties = {}, required = [], additionalProperties, minProperties = 0 } = schema;
  const { maxProperties = Number.POSITIVE_INFINITY } = schema;
  const declared = Object.keys(properties);
  // One property fewer is still enough for `minProperties`, and one more does not exceed `maxProperties`.
  const larger = objectsOf(schema, { min: minProperties + 1 });
  const smaller = objectsOf(schema, { max: Math.max(required.length, maxProperties - 1) });
  const missing = required.map((name) => ({
    word: 'required',
    where: `${where}/${pointerStep(name)}`,
    values: larger
      .map((object) => without(object, name))
      .filter((object) => Object.keys(object).length >= minProperties),
    // Without the property, the object would also violate `minProperties`.
    impossible: declared.length <= minProperties,
  }));
  const inside = Object.entries(properties).flatMap(([name, property]) =>
    violationsOf(property, `${where}/${pointerStep(name)}`).map((violation) => ({
      ...violation,
      values: fc.tuple(smaller, violation.values).map(([object, value]) => ({ ...object, [name]: value })),
    })),
  );
  const surplus = surplusNames(declared).map((name) => ({
    word: `additionalProperties (${JSON.stringify(name)})`,
    where: `${where}/${pointerStep(name)}`,
    values: fc.tuple(smaller, plainJson).map(([object, value]) => ({ ...object, [name]: value })),
  }));
  return [
    ...missing.filter(({ impossible }) => !impossible).map(({ impossible: _, ...violation }) => violation),
    ...(additionalProperties === false ? surplus : []),
    ...inside,
    ...sizeViolations(schema, where),
  ];
}

/** Too few or too many properties, unless `required` and `properties` already imply the same limits. */
function sizeViolations(schema: Schema, where: string): Violation<unknown>[] {
  const { properties = {}, required = [], minProperties = 0, maxProperties } = schema;
  const most = Object.keys(properties).length;
  const tooFew = objectsOf(schema, { min: 0, max: minProperties - 1 });
  const tooMany = (max: number) => objectsOf(schema, { min: max + 1, max: max + 2 });
  return [
    ...(minProperties > required.length ? [{ word: 'minProperties', where, values: tooFew }] : []),
    ...(maxProperties !== undefined && maxProperties < most
      ? [{ word: 'maxProperties', where, values: tooMany(maxProperties) }]
      : []),
  ];
}

/** Names that no schema lists, including some with a meaning in JavaScript or JSON pointers. */
function surplusNames(known: string[]): string[] {
  const likely = known.flatMap((name) => [name.toUpperCase(), ` ${name}`]);
  return ['surplus', '__proto__', 'constructor', 'toString', '', 'a/b', 'a~1b', '\u0000', '$ref', ...likely];
}

function without(object: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

function arrayViolations(schema: Schema, where: string): Violation<unknown>[] {
  const { items = {}, minItems = 0, maxItems, uniqueItems } = schema;
  const arrays = (length: number) => fc.array(valuesOf(items), { minLength: length, maxLength: length });
  const tooFew = { word: 'minItems', where, values: arraysOf(schema, { min: minItems - 1, max: minItems - 1 }) };
  const tooMany = { word: 'maxItems', where, values: arrays((maxItems ?? 0) + 1) };
  const inside = violationsOf(items, `${where}/0`).map((violation) => ({
    ...violation,
    values: fc
      .tuple(violation.values, arraysOf(schema, { min: Math.max(1, minItems) }))
      .map(([first, rest]) => [first, ...rest.slice(1)]),
  }));
  return [
    ...(minItems > 0 ? [tooFew] : []),
    ...(maxItems === undefined ? [] : [tooMany]),
    ...(uniqueItems === true && (maxItems ?? 2) > 1 ? [{ word: 'uniqueItems', where, values: repeating(schema) }] : []),
    ...inside,
  ];
}

/** Arrays with one entry twice. */
function repeating(schema: Schema): Arbitrary<unknown[]> {
  const { minItems = 0, maxItems = minItems + 5 } = schema;
  return arraysOf(schema, { min: Math.max(1, minItems - 1), max: maxItems - 1 }).map((array) => [...array, array[0]]);
}

/**
 * JSON values of all types except the schema's own. JSON Schema treats `1.0` as an integer, but not `1.5` or numbers that
 * only rounding makes integers.
 */
function ofOtherType(schema: Schema): Arbitrary<unknown> {
  const type = typeOf(schema);
  const fractions = ['1.5', '0.1', '-2.000001', '1e-7', '9007199254740991.4', '1e-400', '1e400'];
  const others: [string, Arbitrary<unknown>][] = [
    ['null', fc.constant(null)],
    ['boolean', fc.boolean()],
    ['string', fc.oneof(fc.string(), fc.integer().map(String))],
    ['array', fc.array(plainJson, { maxLength: 3 })],
    ['object', fc.dictionary(fc.string(), plainJson, { maxKeys: 3, noNullPrototype: true })],
    ['integer', fc.integer()],
    ['number', fc.constantFrom(...fractions).map((literal) => new LosslessNumber(literal))],
  ];
  const own: unknown[] = [type, ...(isNullable(schema) ? ['null'] : [])];
  const wrong = type === undefined ? [] : others.filter(([name]) => !own.includes(name));
  const values = fc.oneof(...(wrong.length === 0 ? others : wrong).map(([, value]) => value));
  if (schema.enum === undefined) return values;
  const allowed = new Set(schema.enum.map(identityOf));
  return values.filter((value) => !allowed.has(identityOf(value)));
}

function offEnum<Value>(allowed: Value[], { character, carries }: Alphabet): Arbitrary<string> {
  const known = allowed.map(String);
  const near = known.flatMap((value) => [value.toUpperCase(), `${value} `, `${value}\u0000`, value.slice(1), '']);
  const any = fc.array(character, { maxLength: 20 }).map((characters) => characters.join(''));
  return fc.oneof(fc.constantFrom(...near), any).filter((text) => !known.includes(text) && carries(text));
}

/**
 * Texts that are not integers in plain digits or booleans. Those that JavaScript parses as numbers come
 * first.
 */
function offType(schema: Schema, { character, carries }: Alphabet): Arbitrary<string> {
  const type = typeOf(schema);
  const any = fc.array(character, { maxLength: 20 }).map((characters) => characters.join(''));
  const isRight = writtenAs[type ?? ''] ?? writtenAs['boolean'];
  return fc
    .oneof(fc.constantFrom(...nearNumbers), any)
    .filter((text) => isRight?.test(text) === false && carries(text));
}

const writtenAs: Record<string, RegExp> = {
  integer: /^(0|-?[1-9][0-9]*)$/,
  boolean: /^(true|false)$/,
};

const nearNumbers = [
  '0x10',
  '0b11',
  '1e2',
  '1.0',
  '01',
  '+5',
  ' 5',
  '5 ',
  '-',
  '-0',
  '1_000',
  'NaN',
  'Infinity',
  '1e999',
  '٣',
  '5n',
];
