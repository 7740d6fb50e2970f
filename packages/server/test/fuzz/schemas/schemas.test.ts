import { describe, expect, test } from '@jest/globals';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc, { type Arbitrary } from 'fast-check';
import { stringify } from 'lossless-json';
import { contractDocument } from '../../../src/contract/document.ts';
import { exactNumber } from '../../../src/contract/parse-json.ts';
import { isExactInteger } from '../../../src/contract/validation-problems.ts';
import { fuzzedOperations } from '../requests/contract.ts';
import { readSchema, type Schema } from './schema.ts';
import { headerAlphabet, urlAlphabet } from './strings.ts';
import { textsOf, valuesOf } from './values.ts';
import { textViolationsOf, violationsOf } from './violations.ts';

/** Words that the contract does not use yet, and those that it does in other company. */
const others: [string, Schema][] = [
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
const bodies = operations.flatMap(({ id, body }): [string, Schema][] => (body ? [[`${id} body`, body.schema]] : []));
const parameters = operations.flatMap(({ id, parameters: all }) =>
  all.map((parameter): [string, Schema, typeof parameter.in] => [
    `${id} ${parameter.in}/${parameter.name}`,
    parameter.schema,
    parameter.in,
  ]),
);
const texts = others.filter(([, { type }]) => type !== 'array' && type !== 'object');

const ajv = new Ajv2020({ allErrors: true, strict: false });
addFormats.default(ajv);
// What the contract means by them: exact in JSON.
ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
ajv.addFormat('int32', { type: 'number', validate: (value) => value === (value | 0) });

/** Some of them, the same in every run. */
const some = <Value>(values: Arbitrary<Value>) => fc.sample(values, { numRuns: 150, seed: 7 });

/** What Ajv says of a value, each with the place that a response of ours would name. */
function errorsOf(schema: Schema, value: unknown): { keyword: string; where: string }[] {
  const validate = ajv.compile(schema);
  validate(value);
  return (validate.errors ?? []).map((error) => ({ keyword: error.keyword, where: `body${placeOf(error)}` }));
}

function placeOf({ instancePath, params }: ErrorObject): string {
  const name = params['missingProperty'] ?? params['additionalProperty'];
  return name === undefined ? instancePath : `${instancePath}/${name}`;
}

/** The value as JSON says it; a number that only rounding makes an integer is none. */
function asSent(value: unknown): unknown {
  const text = stringify(value) ?? 'null';
  return JSON.parse(text, (_, entry, { source = '' }: { source?: string } = {}) =>
    typeof entry === 'number' ? numberOf(source) : entry,
  );
}

function numberOf(literal: string): number {
  return exactNumber(literal) ?? (/^-?[0-9]+$/.test(literal) ? Number(literal) : Number.NaN);
}

/** The text of a parameter as what its schema takes it for; what it cannot be stays a text. */
function asRead({ type }: Schema, text: string): unknown {
  if (type === 'integer' && /^(0|-?[1-9][0-9]*)$/.test(text))
    return isExactInteger(text) ? Number(text) : numberOf(text);
  return type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text;
}

describe.each([...bodies, ...others])('JSON for %s', (name, schema) => {
  const known = readSchema(schema, name);

  test('is valid where intended', () => {
    expect(some(valuesOf(known)).filter((value) => errorsOf(schema, asSent(value)).length > 0)).toEqual([]);
  });

  test('is invalid in one place, for the one intended reason', () => {
    const violations = violationsOf(known, 'body');
    expect(violations.length).toBeGreaterThan(0);
    for (const { word, where, values } of violations) {
      const isAsMeant = (value: unknown) => {
        const errors = errorsOf(schema, asSent(value));
        return errors.some(({ keyword }) => word.startsWith(keyword)) && errors.every((error) => error.where === where);
      };
      expect([word, where, some(values).filter((value) => !isAsMeant(value))]).toEqual([word, where, []]);
    }
  });
});

describe.each([...parameters, ...texts.map(([name, schema]) => [name, schema, 'query'] as const)])(
  'the text of %s',
  (name, schema, place) => {
    const alphabet = place === 'header' ? headerAlphabet : urlAlphabet;
    const known = readSchema(schema, name);
    const isValid = (text: string) => errorsOf(schema, asRead(schema, text)).length === 0;

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
  ['a word', { type: 'integer', multipleOf: 5 }],
  ['a type', { type: 'number' }],
  ['a format', { type: 'string', format: 'email' }],
  ['a schema without a type', { oneOf: [] }],
])('%s that the generators do not know is refused, not ignored', (_, schema) => {
  expect(() => readSchema(schema, 'here')).toThrow('here: the fuzzer does not know');
});
