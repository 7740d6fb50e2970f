import { describe, expect, test } from '@jest/globals';
import type { ErrorObject } from 'ajv/dist/2020.js';
import fc, { type Arbitrary } from 'fast-check';
import { pointerStep } from '../../../../service/src/contract/parse-json.ts';
import { isExactInteger } from '../../../../service/src/contract/validation-problems.ts';
import { contractDocument } from '../../contract.ts';
import { fuzzedOperations } from '../requests/contract.ts';
import { readSchema, type Schema, typeOf } from './schema.ts';
import { headerAlphabet, textAlphabet } from './strings.ts';
import { errorsOf as ajvErrorsOf, asSent, numberOf } from './validate.ts';
import { textsOf, valuesOf } from './values.ts';
import { textViolationsOf, violationsOf } from './violations.ts';

const dog = {
  type: 'object',
  required: ['kind', 'barks'],
  additionalProperties: false,
  properties: { kind: { const: 'dog' }, barks: { type: 'boolean' } },
};
const cat = {
  type: 'object',
  required: ['kind', 'lives'],
  additionalProperties: false,
  properties: { kind: { const: 'cat' }, lives: { type: 'integer', minimum: 1, maximum: 9 } },
};
const sized = { type: 'object', required: ['size'], properties: { size: { type: 'integer', minimum: 1, maximum: 5 } } };
const named = { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 2 } } };

/** Keywords that the contract does not use yet, and new combinations of those that it uses. */
const others: [string, object][] = [
  ['a number', { type: 'number' }],
  ['a number in bounds', { type: 'number', minimum: -0.5, maximum: 12.25 }],
  ['a number in exclusive bounds', { type: 'number', format: 'double', exclusiveMinimum: 0, exclusiveMaximum: 1 }],
  ['a price', { type: 'number', minimum: 0, maximum: 1_000, multipleOf: 0.01 }],
  ['a float', { type: 'number', format: 'float' }],
  ['an integer of a grid', { type: 'integer', minimum: -7, maximum: 22, multipleOf: 5 }],
  ['a nullable string', { type: ['string', 'null'], minLength: 1, maxLength: 5 }],
  ['a nullable integer', { type: ['integer', 'null'], format: 'int64', minimum: 1 }],
  ['a nullable enum', { type: ['string', 'null'], enum: ['a', 'b', null] }],
  ['several types', { type: ['string', 'integer'], minLength: 2, minimum: 3 }],
  ['a constant', { type: 'string', const: 'x' }],
  [
    'a list without repetitions',
    { type: 'array', uniqueItems: true, minItems: 1, maxItems: 4, items: { type: 'integer', format: 'int64' } },
  ],
  ['at least one property', { ...sized, required: [], minProperties: 1, additionalProperties: false }],
  [
    'a number of properties',
    {
      type: 'object',
      minProperties: 2,
      maxProperties: 3,
      required: ['a'],
      additionalProperties: false,
      properties: {
        a: { type: 'string' },
        b: { type: 'boolean' },
        c: { type: 'null' },
        d: { type: ['boolean', 'null'] },
      },
    },
  ],
  [
    'a map',
    { type: 'object', minProperties: 1, maxProperties: 4, additionalProperties: { type: 'number', maximum: 9 } },
  ],
  ['a discriminator', { oneOf: [dog, cat], discriminator: { propertyName: 'kind' } }],
  [
    'one of two types',
    {
      oneOf: [
        { type: 'integer', minimum: 0 },
        { type: 'string', maxLength: 3 },
      ],
    },
  ],
  [
    'one of two that overlap',
    {
      oneOf: [
        { type: 'integer', minimum: 0 },
        { type: 'integer', maximum: 10 },
      ],
    },
  ],
  ['any of two', { anyOf: [named, sized] }],
  ['a reference or null', { anyOf: [dog, { type: 'null' }] }],
  ['all of two', { allOf: [named, sized], unevaluatedProperties: false }],
  ['properties next to branches', { ...named, oneOf: [dog, cat].map(({ additionalProperties: _, ...open }) => open) }],
  ...['date', 'time', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uri-reference', 'byte'].map(
    (format): [string, object] => [`the format ${format}`, { type: 'string', format }],
  ),
  ['exclusive bounds', { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 }],
  ['both kinds of bounds', { type: 'integer', minimum: -5, exclusiveMinimum: -3, maximum: 7, exclusiveMaximum: 9 }],
  ['int32', { type: 'integer', format: 'int32' }],
  ['an integer without bounds', { type: 'integer', format: 'int64' }],
  ['an enum of integers', { type: 'integer', enum: [1, 2, 40] }],
  ['a boolean', { type: 'boolean' }],
  ['a plain string', { type: 'string' }],
  ['a string of one length', { type: 'string', minLength: 3, maxLength: 3 }],
  ['a pattern', { type: 'string', minLength: 2, maxLength: 12, pattern: '^[a-z][a-z0-9-]*$' }],
  ['a uuid', { type: 'string', format: 'uuid' }],
  ['a time', { type: 'string', format: 'date-time' }],
  ['an array', { type: 'array', minItems: 1, maxItems: 4, items: { type: 'string', enum: ['a', 'b'] } }],
  [
    'objects in objects',
    {
      type: 'object',
      required: ['inner', 'list'],
      additionalProperties: false,
      properties: {
        inner: { type: 'object', required: ['n'], properties: { n: { type: 'integer', minimum: 1, maximum: 3 } } },
        list: { type: 'array', minItems: 2, items: { type: 'integer', minimum: 0, maximum: 9 } },
        flag: { type: 'boolean' },
      },
    },
  ],
];

const operations = fuzzedOperations(contractDocument);
const bodies = operations.flatMap(({ id, body }) =>
  (body?.media ?? []).flatMap(({ schema }): [string, object][] =>
    schema === undefined ? [] : [[`${id} body`, schema]],
  ),
);
const parameters = operations.flatMap(({ id, parameters: all }) =>
  all.map((parameter): [string, Schema, typeof parameter.in] => [
    `${id} ${parameter.in}/${parameter.name}`,
    // A list is written as one text for each of its items.
    itemsOf(parameter.schema) ?? parameter.schema,
    parameter.in,
  ]),
);

function itemsOf(schema: Schema): Schema | undefined {
  return 'items' in schema ? schema.items : undefined;
}
const ofOneText = new Set<unknown>(['string', 'integer', 'number', 'boolean']);
const texts = others.filter(([, schema]) => 'type' in schema && ofOneText.has(schema.type));

/** Some generated values, the same in every run. */
const some = <Value>(values: Arbitrary<Value>) => fc.sample(values, { numRuns: 150, seed: 7 });

/** Ajv's errors for a value, each with the place that a response of the API would name. */
function errorsOf(schema: object, value: unknown): { keyword: string; where: string }[] {
  return ajvErrorsOf(schema, value).map((error) => ({ keyword: error.keyword, where: `body${placeOf(error)}` }));
}

function placeOf({ instancePath, params }: ErrorObject): string {
  const name = params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  return name === undefined ? instancePath : `${instancePath}/${pointerStep(String(name))}`;
}

/** Converts the text of a parameter to the type of its schema; leaves it unchanged if that is impossible. */
function asRead(schema: Schema, text: string): unknown {
  const type = typeOf(schema);
  if (type === 'number' && /^-?[0-9.]+(e[+-]?[0-9]+)?$/.test(text) && Number.isFinite(Number(text)))
    return Number(text);
  if (type === 'integer' && /^(0|-?[1-9][0-9]*)$/.test(text))
    return isExactInteger(text) ? Number(text) : numberOf(text);
  return type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text;
}

describe.each([...bodies, ...others])('JSON for %s', (name, schema) => {
  const known = readSchema(schema, name);

  test('is valid where intended', () => {
    expect(some(valuesOf(known)).filter((value) => errorsOf(schema, asSent(value)).length > 0)).toEqual([]);
  });

  test('is invalid in one place, for the intended reason', () => {
    const violations = violationsOf(known, 'body');
    expect(violations.length).toBeGreaterThan(0);
    for (const { word, where, values, below = false } of violations) {
      const isAsMeant = (value: unknown) => {
        const errors = errorsOf(schema, asSent(value));
        if (below) return errors.length > 0 && errors.every((error) => `${error.where}/`.startsWith(`${where}/`));
        const isOfWord = ({ keyword }: { keyword: string }) =>
          word.startsWith(keyword) ||
          (word.startsWith('enum') && keyword === 'const') ||
          keyword.startsWith('unevaluated');
        return errors.some(isOfWord) && errors.every((error) => error.where === where);
      };
      expect([word, where, some(values).filter((value) => !isAsMeant(value))]).toEqual([word, where, []]);
    }
  });
});

describe.each([...parameters, ...texts.map(([name, schema]) => [name, schema, 'query'] as const)])(
  'the text of %s',
  (name, schema, place) => {
    const alphabet = place === 'header' ? headerAlphabet : textAlphabet;
    const known = readSchema(schema, name);
    const isValid = (text: string) => errorsOf(schema, asRead(known, text)).length === 0;

    test('is valid where intended', () => {
      expect(some(textsOf(known, alphabet)).filter((text) => !isValid(text))).toEqual([]);
    });

    test('is invalid where intended, and can be sent', () => {
      for (const { word, values } of textViolationsOf(known, 'body', alphabet)) {
        expect([word, some(values).filter((text) => isValid(text) || !alphabet.carries(text))]).toEqual([word, []]);
      }
    });
  },
);

test.each<[string, unknown]>([
  ['a keyword', { type: 'object', propertyNames: { maxLength: 3 } }],
  ['a type', { type: 'file' }],
  ['a format', { type: 'string', format: 'iri' }],
  ['a schema without a type', {}],
  ['an integer in steps of a half', { type: 'integer', multipleOf: 0.5 }],
  ['two different patterns', { allOf: [{ type: 'string', pattern: 'a' }, { pattern: 'b' }] }],
])('%s that the generators do not support is refused, not ignored', (_, schema) => {
  expect(() => readSchema(schema, 'here')).toThrow('here: the fuzzer does not know');
});

test.each<[string, object, string]>([
  [
    'a closed part of allOf that forbids the other part',
    { allOf: [named, { ...sized, additionalProperties: false }] },
    'here: "additionalProperties: false" forbids name of the other part; use "unevaluatedProperties".',
  ],
  [
    'a branch that no value of the discriminator chooses',
    { oneOf: [named, sized], discriminator: { propertyName: 'kind' } },
    'here (branch 1): the branch does not say which values of "kind" choose it; give it a "const".',
  ],
])('%s is refused', (_, schema, message) => {
  expect(() => readSchema(schema, 'here')).toThrow(message);
});
