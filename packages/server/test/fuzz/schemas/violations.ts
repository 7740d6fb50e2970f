import fc, { type Arbitrary } from 'fast-check';
import { LosslessNumber } from 'lossless-json';
import { integersBeyond } from './integers.ts';
import type { Schema } from './schema.ts';
import { type Alphabet, jsonAlphabet, stringsOffPattern, stringsOfWrongLength } from './strings.ts';
import { valuesOf } from './values.ts';

/** Values that are wrong for where they stand only: a number among them that JSON has to round would be refused for itself. */
const plainJson: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false),
  fc.integer(),
  fc.string(),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.dictionary(fc.string(), fc.string(), { maxKeys: 3, noNullPrototype: true }),
);

/** One constraint of a schema, and values that violate it and no other. */
export type Violation<Value> = {
  /** The word of JSON Schema that is violated. */
  word: string;
  /** The place that a response names: the schema's own, with the names of properties below it. */
  where: string;
  values: Arbitrary<Value>;
};

/** Every constraint of a schema violated in turn, those of its properties and items too. */
export function violationsOf(schema: Schema, where: string): Violation<unknown>[] {
  const type = { word: 'type', where, values: ofOtherType(schema) };
  if (schema.enum !== undefined) return [type, { word: 'enum', where, values: offEnum(schema.enum, jsonAlphabet) }];
  switch (schema.type) {
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
      return [type, ...stringViolations(schema, where, jsonAlphabet)];
  }
}

/** The same for the text of a parameter. Texts have no other type than text, so only what is no number can violate one. */
export function textViolationsOf(schema: Schema, where: string, alphabet: Alphabet): Violation<string>[] {
  if (schema.enum !== undefined) return [{ word: 'enum', where, values: offEnum(schema.enum.map(String), alphabet) }];
  if (schema.type === 'string') return stringViolations(schema, where, alphabet);
  const type = { word: 'type', where, values: offType(schema, alphabet) };
  if (schema.type !== 'integer') return [type];
  return [type, ...beyond(schema, where).map((violation) => ({ ...violation, values: violation.values.map(String) }))];
}

function beyond(schema: Schema, where: string): Violation<bigint>[] {
  return integersBeyond(schema).map((violation) => ({ ...violation, where }));
}

function literals(values: Arbitrary<bigint>): Arbitrary<LosslessNumber> {
  return values.map((value) => new LosslessNumber(String(value)));
}

function stringViolations(schema: Schema, where: string, alphabet: Alphabet): Violation<string>[] {
  const lengths = stringsOfWrongLength(schema, alphabet).map((violation) => ({ ...violation, where }));
  return [
    ...lengths,
    ...(schema.pattern === undefined ? [] : [{ word: 'pattern', where, values: stringsOffPattern(schema, alphabet) }]),
    ...(schema.format === undefined ? [] : [{ word: 'format', where, values: offFormat(alphabet) }]),
  ];
}

function objectViolations(schema: Schema, where: string): Violation<unknown>[] {
  const { properties = {}, required = [], additionalProperties } = schema;
  const objects = valuesOf(schema).map((value): Record<string, unknown> => Object(value));
  const missing = required.map((name) => ({
    word: 'required',
    where: `${where}/${name}`,
    values: objects.map((object) => without(object, name)),
  }));
  const inside = Object.entries(properties).flatMap(([name, property]) =>
    violationsOf(property, `${where}/${name}`).map((violation) => ({
      ...violation,
      values: fc.tuple(objects, violation.values).map(([object, value]) => ({ ...object, [name]: value })),
    })),
  );
  const surplus = surplusNames(Object.keys(properties)).map((name) => ({
    word: `additionalProperties (${JSON.stringify(name)})`,
    where: `${where}/${name}`,
    values: fc.tuple(objects, plainJson).map(([object, value]) => ({ ...object, [name]: value })),
  }));
  return [...missing, ...(additionalProperties === false ? surplus : []), ...inside];
}

/** Names that no schema has, among them those that mean something to JavaScript or to JSON pointers. */
function surplusNames(known: string[]): string[] {
  const likely = known.flatMap((name) => [name.toUpperCase(), ` ${name}`]);
  return ['surplus', '__proto__', 'constructor', 'toString', '', 'a/b', 'a~1b', '\u0000', '$ref', ...likely];
}

function without(object: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

function arrayViolations(schema: Schema, where: string): Violation<unknown>[] {
  const { items = {}, minItems = 0, maxItems } = schema;
  const arrays = (length: number) => fc.array(valuesOf(items), { minLength: length, maxLength: length });
  const tooFew = { word: 'minItems', where, values: arrays(minItems - 1) };
  const tooMany = { word: 'maxItems', where, values: arrays((maxItems ?? 0) + 1) };
  const inside = violationsOf(items, `${where}/0`).map((violation) => ({
    ...violation,
    values: fc.tuple(violation.values, valuesOf(schema)).map(([first, rest]) => [first, ...Object(rest).slice(1)]),
  }));
  return [...(minItems > 0 ? [tooFew] : []), ...(maxItems === undefined ? [] : [tooMany]), ...inside];
}

/** JSON values of all types but the schema's own. `1.0` is an integer to JSON Schema, `1.5` and what rounding hides are not. */
function ofOtherType({ type }: Schema): Arbitrary<unknown> {
  const fractions = ['1.5', '0.1', '-2.000001', '1e-7', '9007199254740991.4', '1e-400', '1e400'];
  const others: [string, Arbitrary<unknown>][] = [
    ['null', fc.constant(null)],
    ['boolean', fc.boolean()],
    ['string', fc.oneof(fc.string(), fc.integer().map(String))],
    ['array', fc.array(plainJson, { maxLength: 3 })],
    ['object', fc.dictionary(fc.string(), plainJson, { maxKeys: 3, noNullPrototype: true })],
    ['integer', fc.integer()],
    ['fraction', fc.constantFrom(...fractions).map((literal) => new LosslessNumber(literal))],
  ];
  return fc.oneof(...others.flatMap(([name, values]) => (name === type ? [] : [values])));
}

function offEnum<Value>(allowed: Value[], { character, carries }: Alphabet): Arbitrary<string> {
  const known = allowed.map(String);
  const near = known.flatMap((value) => [value.toUpperCase(), `${value} `, `${value}\u0000`, value.slice(1), '']);
  const any = fc.array(character, { maxLength: 20 }).map((characters) => characters.join(''));
  return fc.oneof(fc.constantFrom(...near), any).filter((text) => !known.includes(text) && carries(text));
}

/** Texts that are no integer in plain digits, or no boolean. Those that JavaScript reads as numbers come first. */
function offType({ type }: Schema, { character, carries }: Alphabet): Arbitrary<string> {
  const near = [
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
  const any = fc.array(character, { maxLength: 20 }).map((characters) => characters.join(''));
  const isRight = type === 'integer' ? /^(0|-?[1-9][0-9]*)$/ : /^(true|false)$/;
  return fc.oneof(fc.constantFrom(...near), any).filter((text) => !isRight.test(text) && carries(text));
}

function offFormat({ character }: Alphabet): Arbitrary<string> {
  return fc.array(character, { minLength: 1, maxLength: 20 }).map((characters) => `no ${characters.join('')}`);
}
