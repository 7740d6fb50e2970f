import { describe, expect, test } from '@jest/globals';
import { problemsOf } from '../problems.ts';
import { createFactory } from './factory.ts';

const definitions = {
  Stay: {
    type: 'object',
    required: ['from'],
    properties: { from: { type: 'string', format: 'date', example: '2026-07-01' }, next: { $ref: '#/$defs/Stay' } },
  },
};
const berth = {
  allOf: [
    { $ref: '#/$defs/Stay' },
    {
      type: 'object',
      required: ['id', 'code', 'length', 'tags'],
      properties: {
        id: { type: 'string', format: 'uuid' },
        code: { type: 'string', pattern: '^[A-Z]{2}-[0-9]{3}$', example: 'NO-007' },
        length: { type: 'number', minimum: 3, maximum: 40, multipleOf: 0.5 },
        tags: { type: 'array', minItems: 2, items: { type: 'string', maxLength: 6 } },
        owner: {
          type: ['object', 'null'],
          properties: { name: { type: 'string' }, email: { type: 'string', format: 'email' } },
        },
        state: { enum: [null, 'free', 'taken'] },
        secret: { type: 'string', writeOnly: true },
      },
    },
  ],
};

describe('a factory', () => {
  test('makes valid values, each with another identifier', () => {
    const make = createFactory<{ id: string; code: string }>(berth, definitions);
    const values = make.list(500);
    expect(values.flatMap((value) => problemsOf(value, berth, definitions, 'berth'))).toEqual([]);
    expect(new Set(values.map(({ id }) => id)).size).toBe(500);
    expect(values.slice(0, 2).map(({ code }) => code)).toEqual(['NO-007', 'NO-008']);
    expect(values[0]).toMatchObject({ owner: { name: 'Ada' }, from: '2026-07-01', next: { next: {} } });
    expect(values[0]).not.toHaveProperty('secret');
  });

  test('makes the same values for the same seed, and others for another one', () => {
    const make = createFactory<{ id: string }>(berth, definitions);
    const first = make.list(3);
    make.seed(2);
    const second = make.list(3);
    make.seed(1);
    expect(make.list(3)).toEqual(first);
    expect(first.map(({ id }) => id)).not.toEqual(second.map(({ id }) => id));
  });

  test('takes properties, and refuses those that are not valid', () => {
    const make = createFactory<{ code: string; length: number }>(berth, definitions);
    expect(make({ code: 'SO-001' }).code).toBe('SO-001');
    expect(() => make({ length: 2 })).toThrow(new TypeError('length must be at least 3: pass another value.'));
    const misspelled = Object({ legnth: 4, from: '2026-07-02' });
    const named =
      'legnth is not a property of this value. It may have code, from, id, length, next, owner, secret, state, tags.';
    expect(() => make(misspelled)).toThrow(new TypeError(named));
    expect(() => make.list(2, misspelled)).toThrow(new TypeError(named));
  });

  test('takes further properties if the schema describes them', () => {
    const labels = { type: 'object', properties: { name: {} }, additionalProperties: { type: 'string' } };
    expect(createFactory<object>(labels)({ ...{ colour: 'red' } })).toMatchObject({ colour: 'red' });
    const byPattern = { type: 'object', patternProperties: { '^x-': {} } };
    expect(createFactory<object>(byPattern)({ ...{ 'x-colour': 'red' } })).toMatchObject({ 'x-colour': 'red' });
  });

  const object = (properties: object, more: object = {}) => ({
    ...{ type: 'object', properties, required: Object.keys(properties) },
    ...more,
  });
  const list = (items: object, more: object) => object({ a: { type: 'array', items, ...more } });
  const text = { type: 'string' };
  const formatNames = [
    'date',
    'date-time',
    'time',
    'duration',
    'email',
    'hostname',
    'ipv4',
    'ipv6',
    'uri',
    'uuid',
    'byte',
  ];
  const node = object({ id: { type: 'integer' }, parent: { oneOf: [{ type: 'null' }, { $ref: '#/$defs/Node' }] } });
  const branch = object({ parts: { type: 'array', minItems: 2, items: { $ref: '#/$defs/Tree' } } });

  test.each<[what: string, schema: object]>([
    ['long texts', object({ a: { type: 'string', minLength: 30 }, b: { allOf: [text, { minLength: 20 }] } })],
    ['short texts', object({ name: { type: 'string', maxLength: 2 }, about: { type: 'string', maxLength: 1 } })],
    ['formats', object(Object.fromEntries(formatNames.map((format) => [format, { type: 'string', format }])))],
    ['examples', object({ a: { type: 'string', pattern: '^[A-Z]{3}-\\d{26}$', examples: [`ABC-${'9'.repeat(26)}`] } })],
    ['exclusive bounds', object({ a: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 } })],
    ['negative numbers', object({ a: { type: 'integer', exclusiveMaximum: 0 }, b: { type: 'number', maximum: -5 } })],
    ['multiples', object({ a: { type: 'integer', multipleOf: 7, minimum: 10, maximum: 20 } })],
    [
      'fractions',
      object({ a: { type: 'number', multipleOf: 0.1 }, b: { type: 'integer', minimum: 0.5, maximum: 1.5 } }),
    ],
    ['lists without equal items', list({ enum: ['a', 'b', 'c'] }, { minItems: 3, uniqueItems: true })],
    ['lists of texts without equal ones', list(text, { minItems: 3, uniqueItems: true })],
    ['empty lists', list(text, { maxItems: 0 })],
    ['tuples', object({ a: { type: 'array', prefixItems: [text, { type: 'integer' }], items: false, minItems: 2 } })],
    ['lists that contain a value', list({}, { contains: { const: 1 } })],
    ['any properties', object({ a: { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 2 } })],
    ['properties next to alternatives', object({ kind: text }, { oneOf: [object({ a: { const: 1 } })] })],
    ['alternatives that require a property', { type: 'object', properties: { a: text }, anyOf: [{ required: ['a'] }] }],
    [
      'an example with an ID',
      object({ id: { type: 'integer' } }, { example: { id: 'https://notes.example/7', $id: 7 } }),
    ],
    ['itself or null', { $ref: '#/$defs/Node' }],
    ['alternatives that contain it', { $ref: '#/$defs/Tree' }],
    ['a base that names its variants', { $ref: '#/$defs/Base' }],
  ])('makes valid values of a schema with %s', (_what, schema) => {
    const schemas = {
      Node: node,
      Tree: { oneOf: [branch, object({ leaf: text })], type: 'object' },
      Base: { ...object({ kind: text }), oneOf: [{ $ref: '#/$defs/Variant' }] },
      Variant: { allOf: [{ $ref: '#/$defs/Common' }, object({ size: { type: 'integer' } })] },
      Common: object({ kind: text }),
    };
    const make = createFactory<object>(schema, schemas);
    for (const seed of [1, 2, 0, 77]) {
      make.seed(seed);
      expect(make.list(20).flatMap((value) => problemsOf(value, schema, schemas, 'value'))).toEqual([]);
    }
  });

  test('makes numbers that fit each other, as their examples do', () => {
    const properties = {
      limit: { type: 'integer', minimum: 1, example: 60 },
      left: { type: 'integer', minimum: 0, example: 59 },
      stars: { type: 'integer', minimum: 1, maximum: 5, example: 4 },
      price: { type: 'number', multipleOf: 0.01, examples: [9.99] },
    };
    const make = createFactory<object>(object(properties));
    expect(make.list(3)).toEqual([
      { limit: 60, left: 59, stars: 4, price: 9.99 },
      { limit: 61, left: 60, stars: 5, price: 10 },
      { limit: 62, left: 61, stars: 1, price: 10.01 },
    ]);
  });

  test('gives the items of a list identifiers of their own', () => {
    const make = createFactory<{ a: { id: number }[] }>(list(object({ id: { type: 'integer' } }), { minItems: 2 }));
    expect(make().a).toEqual([{ id: 1 }, { id: 2 }]);
  });
});
