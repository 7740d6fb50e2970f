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
  });
});
