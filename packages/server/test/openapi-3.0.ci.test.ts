import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contractJson } from '@animal-store/contract/document';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import AjvDraft04 from 'ajv-draft-04';
import fc, { type Arbitrary } from 'fast-check';
import { runRedocly } from '../../tooling/src/common/redocly.ts';
import { documentAs30, yamlAs30 } from '../../tooling/src/openapi-3.0/document.ts';
import { schemaAs30 } from '../../tooling/src/openapi-3.0/schema.ts';
import { secondContract } from '../../tooling/test/second-contract-fixture.ts';
import { resolveReferences } from './fuzz/requests/contract.ts';
import { isRecord, readSchema } from './fuzz/schemas/schema.ts';
import { addContractFormats, asSent } from './fuzz/schemas/validate.ts';
import { valuesOf } from './fuzz/schemas/values.ts';
import { violationsOf } from './fuzz/schemas/violations.ts';

type Node = Record<string, unknown>;

/** As in the fuzzer, which generates the values. */
const options = { strict: false, validateSchema: false, multipleOfPrecision: 9 } as const;

const contracts: { name: string; document: Node }[] = [
  { name: 'the Animal Store', document: JSON.parse(contractJson) },
  { name: 'the second contract', document: JSON.parse(JSON.stringify(secondContract())) },
];

describe.each(contracts)('$name in OpenAPI 3.0', ({ document }) => {
  const twin = documentAs30(document);

  test('is valid to Redocly, which refuses it unconverted', () => {
    expect(lint(yamlAs30(document))).toMatchObject({ exitCode: 0 });
    const unconverted = JSON.stringify({ ...document, openapi: '3.0.3' });
    expect(lint(unconverted)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('validated') });
  });

  test('has the same operations and webhooks, apart from schemas and the notation of scopes', () => {
    expect(Object.keys(nodeOf(twin['paths']))).toEqual(Object.keys(nodeOf(document['paths'])));
    expect(outlineOf(twin, 'x-webhooks')).toEqual(outlineOf(document, 'webhooks'));
    expect(nodeOf(twin['info'])['description']).toBe(nodeOf(document['info'])['description']);
    expect(twin['servers']).toEqual(document['servers']);
  });

  test('has nothing next to a reference, because 3.0 would ignore it', () => {
    const references = nodesOf(twin).filter(({ $ref }) => typeof $ref === 'string');
    expect(references.length).toBeGreaterThan(50);
    expect(references.filter((node) => Object.keys(node).length > 1)).toEqual([]);
  });

  const isAllowed = { by31: validator31(document), by30: validator30(twin) };
  test.each(pointersOfSchemas(document))('%s allows the same values', (pointer) => {
    const schema = readSchema(resolveReferences(document, at(document, pointer), pointer), pointer);
    const pointerIn30 = pointer.replace('#/webhooks/', '#/x-webhooks/');
    const verdicts = (values: Arbitrary<unknown>, seed: number) =>
      fc
        .sample(values, { numRuns: 10, seed })
        .map(asSent)
        .map((value) => ({ value, by31: isAllowed.by31(pointer, value), by30: isAllowed.by30(pointerIn30, value) }));
    const valid = verdicts(valuesOf(schema), 1);
    const invalid = violationsOf(schema, '').flatMap(({ values }, index) => verdicts(values, index));
    expect([...valid, ...invalid].filter(({ by31, by30 }) => by31 !== by30)).toEqual([]);
    expect(valid.some(({ by31 }) => by31)).toBe(true);
    expect(invalid.some(({ by31 }) => !by31)).toBe(true);
  });
});

/** Schemas that the contracts do not have, and what becomes of them. */
const cases: [what: string, in31: Node | boolean, in30: Node][] = [
  ['null as one of two types', { type: ['integer', 'null'] }, { type: 'integer', nullable: true }],
  ['null alone', { type: 'null' }, { type: 'string', nullable: true, enum: [null] }],
  [
    'several types and null',
    { type: ['integer', 'array', 'null'], minimum: 5, items: { type: 'integer' } },
    {
      minimum: 5,
      items: { type: 'integer' },
      allOf: [
        {
          anyOf: [
            { type: 'integer', nullable: true },
            { type: 'array', nullable: true, items: { type: 'integer' } },
          ],
        },
      ],
    },
  ],
  [
    'null or another schema',
    { anyOf: [{ $ref: '#/components/schemas/Named' }, { type: 'null' }] },
    { anyOf: [{ $ref: '#/components/schemas/Named' }, { type: 'string', nullable: true, enum: [null] }] },
  ],
  ['a constant', { type: 'string', const: 'a' }, { type: 'string', enum: ['a'] }],
  ['a constant that is falsy', { const: 0 }, { enum: [0] }],
  ['a constant that is null', { const: null }, { type: 'string', nullable: true, enum: [null] }],
  ['a constant next to an enum', { enum: ['a', 1], const: 'a' }, { enum: ['a'] }],
  ['an exclusive minimum', { exclusiveMinimum: 5 }, { minimum: 5, exclusiveMinimum: true }],
  ['an exclusive minimum below the inclusive one', { minimum: 10, exclusiveMinimum: 5 }, { minimum: 10 }],
  ['equal bounds', { minimum: 5, exclusiveMinimum: 5 }, { minimum: 5, exclusiveMinimum: true }],
  [
    'an exclusive maximum below the inclusive one',
    { maximum: 10, exclusiveMaximum: 5 },
    { maximum: 5, exclusiveMaximum: true },
  ],
  ['examples', { type: 'string', examples: ['a', 'b'] }, { type: 'string', example: 'a' }],
  ['bytes', { type: 'string', contentMediaType: 'image/png' }, { type: 'string', format: 'binary' }],
  [
    'a description next to a reference',
    { $ref: '#/components/schemas/Named', description: 'A name.' },
    { description: 'A name.', allOf: [{ $ref: '#/components/schemas/Named' }] },
  ],
  ['an array of anything', { type: 'array' }, { type: 'array', items: {} }],
  ['anything', true, {}],
  ['nothing', false, { not: {} }],
  [
    'properties that allow anything and nothing',
    { properties: { a: true, c: false }, required: [] },
    { properties: { a: {}, c: { not: {} } } },
  ],
  [
    'a comment, which is not part of the documentation',
    { $comment: 'For us.', additionalProperties: { type: 'integer' } },
    { additionalProperties: { type: 'integer' } },
  ],
  [
    'unevaluatedProperties next to allOf',
    {
      properties: { c: { type: 'integer' } },
      allOf: [{ $ref: '#/components/schemas/Named' }, { properties: { b: true } }],
      unevaluatedProperties: false,
    },
    {
      properties: { a: {}, b: {}, c: { type: 'integer' } },
      allOf: [{ $ref: '#/components/schemas/Named' }, { properties: { b: {} } }],
      additionalProperties: false,
    },
  ],
];

const named = { type: 'object', properties: { a: { type: 'integer' } } };
/** Values of every type, on both sides of the bounds above. */
const probes = [
  ...[null, true, 0, 1, 4, 5, 6, 10, 11, 5.5, '', 'a', 'b', 'text', 'YQ==', [], [1], ['a'], {}],
  ...[{ a: 1 }, { a: 'text' }, { b: 1 }, { a: 1, b: 2, c: 3 }, { c: 'text' }, { d: 1 }],
];

test.each(cases)('%s is converted to a schema that allows the same values', (_, in31, in30) => {
  const schemas = (schema: Node | boolean) => ({ components: { schemas: { Named: named, Tested: schema } } });
  const converted = schemaAs30(in31, '#', () => named);
  expect(converted).toEqual(in30);
  const [by31, by30] = [validator31(schemas(in31)), validator30(schemas(converted))];
  const allowed = (is: typeof by31) => probes.filter((value) => is('#/components/schemas/Tested', value));
  expect(allowed(by30)).toEqual(allowed(by31));
});

test('base64 becomes the format byte, although validators of 3.1 do not check contentEncoding', () => {
  const base64 = { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' };
  expect(schemaAs30(base64, '#', () => undefined)).toEqual({ type: 'string', format: 'byte' });
});

test('a description next to the reference to a header replaces the description of the header', () => {
  const document: Node = JSON.parse(contractJson);
  const responses = nodeOf(nodeOf(document['components'])['responses']);
  const headers = nodeOf(nodeOf(responses['BadRequest'])['headers']);
  headers['Link'] = { $ref: '#/components/headers/Link', description: 'Another page.' };
  const converted = at(documentAs30(document), '#/components/responses/BadRequest/headers/Link');
  expect(converted).toEqual({ description: 'Another page.', schema: { type: 'string' }, example: expect.any(String) });
});

const inAllOf = { allOf: [{ oneOf: [{ properties: { a: true } }] }], unevaluatedProperties: false };
test.each([
  [{ patternProperties: {} }, 'has no patternProperties, .* List the properties, or use additionalProperties'],
  [
    { properties: { a: { prefixItems: [] } } },
    '^#/properties/a/prefixItems: OpenAPI 3.0 has no prefixItems, .* Use items',
  ],
  [{ oneOf: [{ if: {} }] }, '^#/oneOf/0/if: .* Use oneOf with a schema for each case'],
  [{ $defs: {} }, 'Move the schemas to components/schemas'],
  [{ invented: 1 }, 'has no invented, .* Remove it'],
  [{ unevaluatedProperties: { type: 'string' } }, 'Write it as false next to allOf'],
  [inAllOf, 'has no unevaluatedProperties next to parts with anyOf or oneOf'],
  [{ enum: ['a'], const: 'b' }, 'No value is both the const and in the enum'],
])('%j is refused', (schema, message) => {
  expect(() => schemaAs30(schema, '#', () => undefined)).toThrow(new RegExp(message));
});

test.each([
  [{ jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema' }, 'has no jsonSchemaDialect'],
  [{ components: { pathItems: {} } }, '^#/components/pathItems: .* Write each path item under paths'],
])('a document with %j is refused', (document, message) => {
  expect(() => documentAs30({ openapi: '3.1.0', ...document })).toThrow(new RegExp(message));
});

function lint(text: string): { exitCode: number; stderr: string } {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-openapi-3.0-'));
  try {
    const file = join(folder, 'openapi.yaml');
    writeFileSync(file, text);
    // The same rules as for the workflows: recommended-strict. Our own rules are for the contract.
    return runRedocly('lint', file, '--config', 'docs/workflows/redocly.yaml');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type IsAllowed = (pointer: string, value: unknown) => boolean;

/** OpenAPI 3.1 uses JSON Schema 2020-12. */
function validator31(document: Node): IsAllowed {
  return validatorOf(new Ajv2020(options), document);
}

/** The schemas of OpenAPI 3.0 are those of an early draft of JSON Schema, with `nullable`, which Ajv supports. */
function validator30(document: Node): IsAllowed {
  return validatorOf(new AjvDraft04.default(options), document);
}

function validatorOf(ajv: Ajv2020 | AjvDraft04.default, { components, ...document }: Node): IsAllowed {
  addContractFormats(ajv);
  const { schemas } = nodeOf(components);
  const compiled = new Map<string, (value: unknown) => unknown>();
  return (pointer, value) => {
    const target = at({ ...document, components }, pointer);
    // The whole document would not do: an example with an `id` would pass for a schema with that name.
    const validate = compiled.get(pointer) ?? ajv.compile({ allOf: [target], components: { schemas } });
    compiled.set(pointer, validate);
    return validate(value) === true;
  };
}

/** JSON pointers of the named schemas, and of those of parameters, headers and bodies. */
function pointersOfSchemas(document: Node): string[] {
  const find = (node: unknown, pointer: string): string[] => {
    if (Array.isArray(node)) return node.flatMap((entry, index) => find(entry, `${pointer}/${index}`));
    return Object.entries(nodeOf(node)).flatMap(([key, value]) => {
      const below = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (key === 'schema' || pointer === '#/components/schemas') return [below];
      return key.startsWith('example') || key.startsWith('x-') ? [] : find(value, below);
    });
  };
  return find(document, '#');
}

function at(document: Node, pointer: string): unknown {
  const keys = pointer.split('/').slice(1);
  return keys
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((node: unknown, key) => (Array.isArray(node) ? node[Number(key)] : nodeOf(node)[key]), document);
}

/** The operations and webhooks with references resolved, without schemas, and with the scopes that each needs. */
function outlineOf(document: Node, webhooks: string): unknown {
  const outline = (items: unknown) => mapValues(items, (item) => mapValues(item, (part) => operation(part)));
  const operation = (part: unknown) => {
    if (!isRecord(part) || !('responses' in part)) return withoutSchemas(part);
    const { security = document['security'], 'x-scopes': scopes, ...rest } = part;
    const named = Array.isArray(security) ? security.flatMap((one) => Object.values(nodeOf(one)).flat()) : [];
    return { ...nodeOf(withoutSchemas(rest)), isPublic: isEmpty(security), scopes: scopes ?? named };
  };
  const resolved = nodeOf(
    resolveReferences(document, { paths: document['paths'], webhooks: document[webhooks] }, 'contract'),
  );
  return { paths: outline(resolved['paths']), webhooks: outline(resolved['webhooks']) };
}

function isEmpty(list: unknown): boolean {
  return Array.isArray(list) && list.length === 0;
}

function withoutSchemas(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutSchemas);
  if (!isRecord(node)) return node;
  return mapValues(Object.fromEntries(Object.entries(node).filter(([key]) => key !== 'schema')), withoutSchemas);
}

function nodesOf(node: unknown): Node[] {
  if (Array.isArray(node)) return node.flatMap(nodesOf);
  return isRecord(node) ? [node, ...Object.values(node).flatMap(nodesOf)] : [];
}

function mapValues(node: unknown, change: (value: unknown) => unknown): Node {
  return Object.fromEntries(Object.entries(nodeOf(node)).map(([key, value]) => [key, change(value)]));
}

function nodeOf(value: unknown): Node {
  return isRecord(value) ? value : {};
}
