import fc, { type Arbitrary } from 'fast-check';
import { integersOf, spellingsOf } from './integers.ts';
import type { Schema } from './schema.ts';
import { type Alphabet, jsonAlphabet, stringsOf } from './strings.ts';

/** Every JSON value that a schema allows. Numbers are as they are spelled (LosslessNumber). */
export function valuesOf(schema: Schema): Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'integer':
      return integersOf(schema).chain(spellingsOf);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}), lengthOfArray(schema));
    case 'object':
      return objectsOf(schema);
    default:
      return stringsOf(schema, jsonAlphabet);
  }
}

/** Every text that a schema allows for a parameter. */
export function textsOf(schema: Schema, alphabet: Alphabet): Arbitrary<string> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum.map(String));
  if (schema.type === 'integer') return integersOf(schema).map(String);
  if (schema.type === 'boolean') return fc.boolean().map(String);
  if (schema.type === 'string') return stringsOf(schema, alphabet);
  throw new Error(`The fuzzer does not know how a parameter of type ${schema.type} is written.`);
}

function objectsOf({ properties = {}, required = [] }: Schema): Arbitrary<Record<string, unknown>> {
  const values = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema)]));
  const objects = fc.record(values, { requiredKeys: required, noNullPrototype: true });
  const orders = fc.shuffledSubarray(Object.keys(properties), { minLength: Object.keys(properties).length });
  return fc.tuple(objects, orders).map(([object, order]) => inOrder(object, order));
}

function inOrder(object: Record<string, unknown>, order: string[]): Record<string, unknown> {
  return Object.fromEntries(order.filter((name) => Object.hasOwn(object, name)).map((name) => [name, object[name]]));
}

function lengthOfArray({ minItems = 0, maxItems = minItems + 5 }: Schema) {
  return { minLength: minItems, maxLength: maxItems };
}
