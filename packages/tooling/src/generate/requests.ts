import { withoutDiscriminator } from '@contract-first/service/document';
import { dig } from '../common/json.ts';
import { type ContractDocument, kindOf, operationsOf, resolve } from '../contract/document.ts';
import { header } from './constants.ts';
import { typeName } from './type-names.ts';

/**
 * The JSON Schemas (2020-12) of the parameters and bodies of every operation, without their documentation: for the mocks
 * of the client, which validate requests in place of the server.
 */
export function generateRequestSchemas(document: ContractDocument): string {
  const bare = bareFor(document, 'readOnly');
  const schemas = Object.fromEntries(
    operationsOf(document).map(({ operation, parameters, body }) => [
      operation.operationId,
      {
        parameters: parameters.map(({ name, in: place, required = false, schema }) => ({
          name,
          in: place,
          required,
          schema: bare(schema),
        })),
        bodies: Object.fromEntries(
          Object.entries(body?.content ?? {}).map(([type, { schema }]) => [type, bare(schema)]),
        ),
      },
    ]),
  );
  const about = 'The schemas of the parameters and of the bodies, by media type, of every operation.';
  return moduleOf(document, bare, about, 'requestSchemas', schemas);
}

/** The JSON Schemas (2020-12) of the JSON responses of every operation: for the client, which can validate responses. */
export function generateResponseSchemas(document: ContractDocument): string {
  const bare = bareFor(document, 'writeOnly');
  const schemas = Object.fromEntries(
    operationsOf(document).map(({ method, path, responses }) => [
      `${method} ${path}`,
      Object.fromEntries(
        responses.map(({ status, content = {} }) => {
          const json = Object.entries(content).filter(([type]) => kindOf(type) === 'json');
          return [status, Object.fromEntries(json.map(([type, { schema }]) => [type, bare(schema)]))];
        }),
      ),
    ]),
  );
  const about =
    'The schemas of the JSON responses, by method and path, status and media type. Other responses have none.';
  return moduleOf(document, bare, about, 'responseSchemas', schemas);
}

function moduleOf(document: ContractDocument, bare: Bare, about: string, name: string, schemas: object): string {
  return [
    header,
    `/** ${about} */`,
    `export const ${name} = ${JSON.stringify(schemas, null, 2)} as const;\n`,
    '/** The schemas that others refer to. */',
    `export const definitions = ${JSON.stringify(referenced(document, bare, schemas), null, 2)} as const;\n`,
  ].join('\n');
}

/** Keywords that describe a value and do not restrict it. */
const documentation = new Set([
  'description',
  'example',
  'examples',
  'title',
  'default',
  'deprecated',
  'discriminator',
]);

export type Bare = (schema?: unknown) => unknown;

/**
 * Returns a function that makes a schema without documentation; its references name `$defs`. A body without a schema may be anything.
 * @param unsent properties with this mark are not required, because they are not sent. Nor are those of requests that have a default
 */
export function bareFor(document: ContractDocument, unsent: 'readOnly' | 'writeOnly'): Bare {
  const bare: Bare = (schema = {}) => {
    if (Array.isArray(schema)) return schema.map(bare);
    if (typeof schema !== 'object' || schema === null) return schema;
    // As on the server, so that forms have the same problems.
    return Object.fromEntries(
      Object.entries(withoutDiscriminator(schema)).flatMap(([name, value]) => {
        if (name !== 'x-pattern-says' && (documentation.has(name) || name.startsWith('x-'))) return [];
        if (name === '$ref') return [[name, String(value).replace('#/components/schemas/', '#/$defs/')]];
        if (name === 'required' && Array.isArray(value)) {
          return [[name, value.filter((each) => !isUnsent(dig(schema, 'properties', String(each))))]];
        }
        // The names of properties are the contract's own; they may be those of keywords.
        if (byName.has(name)) return [[name, mapEntries(Object(value), name === 'properties' ? property : bare)]];
        return [[name, values.has(name) ? value : bare(value)]];
      }),
    );
  };
  // Whatever its value is, the server refuses it.
  const property: Bare = (schema) =>
    unsent === 'readOnly' && isMarked(schema) ? { ...Object(bare(schema)), readOnly: true, not: {} } : bare(schema);
  const isMarked = (property: unknown) =>
    dig(property, unsent) === true || dig(resolve(document, property), unsent) === true;
  // The server fills in the default of a property that is missing.
  const isUnsent = (property: unknown) =>
    isMarked(property) || (unsent === 'readOnly' && dig(property, 'default') !== undefined);
  return bare;
}

/** Keywords whose value has a schema for each name. */
const byName = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs']);
/** Keywords whose value has no schemas. */
const values = new Set(['const', 'enum', 'dependentRequired', 'example', 'examples']);

function mapEntries<Value>(values: Record<string, Value>, map: (value: Value) => unknown): object {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}

/** The named schemas that some schemas refer to, and those that these refer to. */
export function referenced(
  document: ContractDocument,
  bare: Bare,
  schemas: unknown,
  found: Record<string, unknown> = {},
): Record<string, unknown> {
  for (const [, name = ''] of JSON.stringify(schemas).matchAll(/"#\/\$defs\/([\w.-]+)["/]/g)) {
    if (Object.hasOwn(found, name)) continue;
    found[name] = bare(document.components.schemas[name]);
    referenced(document, bare, found[name], found);
  }
  return found;
}

/** The constant with a schema in a generated file. */
export function schemaConstant(name: string): string {
  return `${typeName(name)}Schema`;
}

/** Each schema as a constant of its own. */
export function schemaConstants(schemas: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(schemas).map(
    ([name, schema]) => `const ${schemaConstant(name)} = ${JSON.stringify(schema, null, 2)} as const;\n`,
  );
}
