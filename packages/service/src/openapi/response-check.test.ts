import { describe, expect, test } from '@jest/globals';
import { contract } from '../../test/toy-contract.ts';
import type { CompiledOperation } from './compiled-contract.ts';
import type { OpenApiDocument } from './document.ts';
import { createResponseCheck } from './response-check.ts';

const text = { type: 'string' };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: object, required = Object.keys(properties)) => ({ type: 'object', required, properties });

const schemas = {
  Room: object({ name: text }),
  Dated: object({ opened: text }),
  DatedRoom: { allOf: [ref('Room'), ref('Dated')] },
  Hall: { description: 'A large room.', allOf: [ref('DatedRoom'), object({ seats: { type: 'integer' } })] },
  Exhibit: object({ title: text, room: ref('DatedRoom'), shelf: ref('Shelf') }, ['title']),
  Painting: object({ kind: { const: 'painting' }, frame: text }, ['kind']),
  Statue: object({ kind: { const: 'statue' }, stone: text }, ['kind']),
  Work: { oneOf: [ref('Painting'), ref('Statue')], discriminator: { propertyName: 'kind' } },
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
  Shelf: object({ label: text }),
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

function documentOf(schema: object, named: object): OpenApiDocument {
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
  ['a composition in a property', ref('Exhibit'), { title: 'x', room: datedRoom }],
  ['a list of compositions', { type: 'array', items: ref('DatedRoom') }, [datedRoom]],
  ['a reference with further properties', { ...ref('Room'), ...object({ seats: text }) }, { ...room, seats: '3' }],
  ['an alternative', ref('Work'), statue],
  ['an alternative of any properties', ref('RoomOrFree'), { anything: 1 }],
  ['both of two alternatives', { anyOf: schemaRefs('Room', 'Dated') }, datedRoom],
  ['a part with any properties', ref('Labels'), { ...room, colour: 'red' }],
  ['a composition with a property that it does not list', ref('DatedRoom'), { ...datedRoom, more: 1 }],
  ['an object that requires a property that it does not list', object({ a: text }, ['a', 'b']), { a: 'x', b: 1 }],
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
    ['an object', ref('Shelf'), { label: 'A', more: 1 }],
    ['an object in a property', object({ shelf: ref('Shelf') }), { shelf: { label: 'A', more: 1 } }],
    ['an object in a list', { type: 'array', items: ref('Shelf') }, [{ label: 'A', more: 1 }]],
    ['an object or null', nullable('Shelf'), { label: 'A', more: 1 }],
    ['an object next to a composition', ref('Exhibit'), { title: 'x', shelf: { label: 'A', more: 1 } }],
    ['an object whose type may be null', { ...object({ a: text }), type: ['object', 'null'] }, { a: 'x', more: 1 }],
  ])('%s', (_, schema, body) => {
    expect(problemWith(schema, body)).toMatch(/must NOT have additional properties/);
  });
});

test('a format that is unknown is not checked', () => {
  expect(problemWith({ type: 'string', format: 'phone' }, 'x')).toBeUndefined();
});

describe('a schema that contains itself', () => {
  const chain = (last: object) => ({ name: 'a', next: { name: 'b', next: { name: 'c', next: last } } });
  const pair = (last: object) => ({ right: { lefts: [null, { right: { lefts: [last] } }] } });

  test.each<[string, object, (last: object) => object, object]>([
    ['by a property that may be null', ref('Node'), chain, { name: 'd', next: null }],
    ['where it is used', nullable('Node'), chain, { name: 'd', next: null }],
    ['by another schema', ref('Left'), pair, { right: null }],
  ])('is checked at each depth: %s', (_, schema, around, last) => {
    expect(problemWith(schema, around(last))).toBeUndefined();
    expect(problemWith(schema, around({ ...last, more: 1 }))).toMatch(/^body\/.*must NOT have additional properties/);
  });

  test('must not have a writeOnly property at any depth', () => {
    const problem = problemWith(ref('Node'), chain({ name: 'd', secret: '1' }));
    expect(problem).toContain('body/next/next/next/secret must not be in a response');
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
