import fc, { type Arbitrary } from 'fast-check';
import { stringify } from 'lossless-json';
import { asSent } from './as-sent.ts';
import { integersOf, spellingsOf } from './integers.ts';
import { isNullable, type Schema, typeOf } from './schema.ts';
import { type Alphabet, stringsOf, textAlphabet } from './strings.ts';

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
