import { describe, expect, test } from '@jest/globals';
import { contract } from '../../test/toy-contract.ts';
import type { CompiledOperation } from './compiled-contract.ts';
import type { ContractDocument } from './document.ts';
import { createResponseCheck } from './response-check.ts';

const text = { type: 'string' };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: object, required = Object.keys(properties)) => ({ type: 'object', required, properties });

const schemas = {
  Room: object({ name: text }),
  Dated: object({ opened: text }),
  DatedRoom: { allOf: [ref('Room'), ref('Dated')] },
  Hall: { description: 'A large room.', allOf: [ref('DatedRoom'), object({ seats: { type: 'integer' } })] },
  Exhibit: object({ title: text, room: ref('DatedRoom'), notes: { type: 'array', items: ref('Room') } }, ['title']),
  Painting: object({ kind: { const: 'painting' }, frame: text }, ['kind']),
  Statue: object({ kind: { const: 'statue' }, stone: text }, ['kind']),
  Work: { oneOf: [ref('Painting'), ref('Statue')], discriminator: { propertyName: 'kind' } },
  TitledWork: {
    type: 'object',
    required: ['title'],
    properties: { title: text },
    oneOf: schemaRefs('Painting', 'Statue'),
  },
  Free: { type: 'object' },
  RoomOrFree: { anyOf: [ref('Room'), ref('Free')] },
  Labels: { allOf: [ref('Room'), { type: 'object', additionalProperties: text }] },
  // The base names its variants, and each variant contains the base.
  Base: { type: 'object', required: ['kind'], properties: { kind: text }, oneOf: schemaRefs('Variant') },
  Variant: { allOf: [ref('Base'), object({ size: text })] },
  Card: object({ number: text, code: { ...text, writeOnly: true }, pin: ref('Pin') }),
  Pin: { ...text, writeOnly: true },
  // Schemas that contain themselves.
  Node: object({ name: text, next: nullable('Node'), secret: ref('Pin') }, ['name', 'secret']),
  Tree: {
    allOf: [ref('Room'), { properties: { kids: { items: { allOf: [ref('Tree'), { description: 'A child.' }] } } } }],
  },
  Left: object({ right: nullable('Right') }, []),
  Right: object({ lefts: { type: 'array', items: nullable('Left') } }, []),
  OwnedCard: { allOf: [ref('Card'), { required: ['code', 'owner'], properties: { owner: text } }] },
};

function schemaRefs(...names: string[]) {
  return names.map(ref);
}

function nullable(name: string) {
  return { anyOf: [ref(name), { type: 'null' }] };
}

/** The problems of a body with that schema: a message, or undefined. */
function problemWith(schema: object, body: unknown, named: object = schemas): string | undefined {
  const { check } = createResponseCheck({ document: documentOf(schema, named), contract });
  const outgoing = { status: 200, headers: {}, body: JSON.stringify(body), contentType: 'application/json' };
  try {
    check({ kind: 'operation', operation, parameters: {} }, outgoing, {});
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^.*is not as documented: /, '') : String(error);
  }
  return undefined;
}

function documentOf(schema: object, named: object): ContractDocument {
  const responses = { 200: { content: { 'application/json': { schema } } } };
  const get = { operationId: 'listNotes', responses };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Museum' },
    paths: { '/notes': { get } },
    components: { schemas: named },
  };
  return JSON.parse(JSON.stringify(document));
}

const operation: CompiledOperation = {
  id: 'listNotes',
  facts: contract.operations.listNotes,
  reads: true,
  successTypes: ['application/json'],
  numericParams: [],
  announcesExpiry: true,
  lifecycle: { headers: [], deprecation: undefined },
  caching: {},
  validator: () => {
    throw new Error('A response needs no validator of requests.');
  },
};

const room = { name: 'East' };
const datedRoom = { ...room, opened: '1905' };
const statue = { kind: 'statue', stone: 'marble' };

test.each<[string, object, unknown]>([
  ['an object', ref('Room'), room],
  ['two objects as one', ref('DatedRoom'), datedRoom],
  ['a composition of a composition', ref('Hall'), { ...datedRoom, seats: 3 }],
  [
    'a composition in a property and an object in a list',
    ref('Exhibit'),
    { title: 'x', room: datedRoom, notes: [room] },
  ],
  ['a list of compositions', { type: 'array', items: ref('DatedRoom') }, [datedRoom]],
  ['a reference with further properties', { ...ref('Room'), ...object({ seats: text }) }, { ...room, seats: '3' }],
  ['an alternative', ref('Work'), statue],
  ['an alternative with the properties of all', ref('TitledWork'), { ...statue, title: 'x' }],
  ['an alternative of any properties', ref('RoomOrFree'), { anything: 1 }],
  ['both of two alternatives', { anyOf: schemaRefs('Room', 'Dated') }, datedRoom],
  ['a part with any properties', ref('Labels'), { ...room, colour: 'red' }],
  ['a variant that contains its base', ref('Variant'), { kind: 'x', size: 'y' }],
  ['an object or null', { anyOf: [ref('DatedRoom'), { type: 'null' }] }, null],
  [
    'the properties that depend on another',
    { ...object({ a: text }), dependentSchemas: { a: object({ b: text }) } },
    { a: 'x', b: 'y' },
  ],
])('a response may be %s', (_, schema, body) => {
  expect(problemWith(schema, body)).toBeUndefined();
});

describe('a property that the contract does not list is found in', () => {
  test.each<[string, object, object]>([
    ['an object that is also a part of others', ref('Room'), datedRoom],
    ['a composition', ref('DatedRoom'), { ...datedRoom, more: 1 }],
    ['a composition of a composition', ref('Hall'), { ...datedRoom, seats: 3, more: 1 }],
    ['an alternative', ref('Work'), { ...statue, frame: 'wood' }],
    ['an alternative with the properties of all', ref('TitledWork'), { ...statue, title: 'x', frame: 'wood' }],
    ['a composition in a property', ref('Exhibit'), { title: 'x', room: { ...datedRoom, more: 1 } }],
    ['an object in a list', ref('Exhibit'), { title: 'x', notes: [datedRoom] }],
    ['an object or null', { anyOf: [ref('DatedRoom'), { type: 'null' }] }, { ...datedRoom, more: 1 }],
    ['an object whose type may be null', { ...object({ a: text }), type: ['object', 'null'] }, { a: 'x', more: 1 }],
  ])('%s', (_, schema, body) => {
    expect(problemWith(schema, body)).toMatch(/must NOT have (additional|unevaluated) properties/);
  });
});

describe('a writeOnly property', () => {
  const sent = 'must not be in a response';

  test('is not required in a response', () => {
    expect(problemWith(ref('Card'), { number: '1' })).toBeUndefined();
    expect(problemWith(ref('OwnedCard'), { number: '1', owner: 'x' })).toBeUndefined();
  });

  test('must not be sent', () => {
    expect(problemWith(ref('Card'), { number: '1', code: '123' })).toBe(`body/code ${sent}.`);
    expect(problemWith(ref('Card'), { number: '1', pin: '123' })).toBe(`body/pin ${sent}.`);
    expect(problemWith(ref('OwnedCard'), { number: '1', owner: 'x', code: '123' })).toContain(`body/code ${sent}`);
    expect(problemWith({ type: 'array', items: ref('Card') }, [{ number: '1', code: '1' }])).toBe(
      `body/0/code ${sent}.`,
    );
  });
});

test('a format that is unknown is not checked', () => {
  expect(problemWith({ type: 'string', format: 'phone' }, 'x')).toBeUndefined();
});

describe('a schema that contains itself', () => {
  const chain = (last: object) => ({ name: 'a', next: { name: 'b', next: { name: 'c', next: last } } });
  const tree = (last: object) => ({ ...room, kids: [room, { ...room, kids: [{ ...room, kids: [last] }] }] });
  const pair = (last: object) => ({ right: { lefts: [null, { right: { lefts: [last] } }] } });

  test.each<[string, object, (last: object) => object, object]>([
    ['by a property that may be null', ref('Node'), chain, { name: 'd', next: null }],
    ['where it is used', nullable('Node'), chain, { name: 'd', next: null }],
    ['by the items of a composition', ref('Tree'), tree, room],
    ['by another schema', ref('Left'), pair, { right: null }],
  ])('is checked at each depth: %s', (_, schema, around, last) => {
    expect(problemWith(schema, around(last))).toBeUndefined();
    expect(problemWith(schema, around({ ...last, more: 1 }))).toMatch(
      /^body\/.*must NOT have (additional|unevaluated) properties/,
    );
  });

  test('must not have a writeOnly property at any depth', () => {
    const problem = problemWith(ref('Node'), chain({ name: 'd', secret: '1' }));
    expect(problem).toContain('body/next/next/next/secret must not be in a response');
  });

  test('may be referred to in its depth', () => {
    const schema = { $ref: '#/components/schemas/Tree/allOf/1/properties/kids/items' };
    expect(problemWith(schema, tree(room))).toBeUndefined();
    expect(problemWith(schema, tree(datedRoom))).toContain('properties');
  });
});

test('schemas that refer to each other at many levels are closed once each', () => {
  const levels = Array.from({ length: 40 }, (_, level) => {
    const next = nullable(`Level${level + 1}`);
    return [`Level${level}`, object({ a: next, b: next, c: { type: 'array', items: next } }, [])];
  });
  const named = { ...Object.fromEntries(levels), Level40: object({ name: text }) };
  const body = (last: object) => Array.from({ length: 40 }).reduce<object>((inner) => ({ b: inner }), last);
  const startedAt = performance.now();
  expect(problemWith(ref('Level0'), body(room), named)).toBeUndefined();
  expect(problemWith(ref('Level0'), body(datedRoom), named)).toContain('properties');
  // Closed once for each reference, they would take longer than anyone waits.
  expect(performance.now() - startedAt).toBeLessThan(60_000);
});
