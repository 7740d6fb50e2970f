import { type ContractDocument, kindOf, operationsOf } from '../contract/document.ts';
import { header } from './constants.ts';

/**
 * The JSON Schemas (2020-12) of the parameters and bodies of every operation, without their documentation: for the mocks
 * of the client, which validate requests in place of the server.
 */
export function generateRequestSchemas(document: ContractDocument): string {
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
  return moduleOf(document, about, 'requestSchemas', schemas);
}

/** The JSON Schemas (2020-12) of the JSON responses of every operation: for the client, which can validate responses. */
export function generateResponseSchemas(document: ContractDocument): string {
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
  return moduleOf(document, about, 'responseSchemas', schemas);
}

function moduleOf(document: ContractDocument, about: string, name: string, schemas: object): string {
  return [
    header,
    `/** ${about} */`,
    `export const ${name} = ${JSON.stringify(schemas, null, 2)} as const;\n`,
    '/** The schemas that others refer to. */',
    `export const definitions = ${JSON.stringify(referenced(document, schemas), null, 2)} as const;\n`,
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

/** A schema without documentation; its references name `$defs`. A body without a schema may be anything. */
function bare(schema: unknown = {}): unknown {
  if (Array.isArray(schema)) return schema.map(bare);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]) => {
      if (documentation.has(name) || name.startsWith('x-')) return [];
      if (name === '$ref') return [[name, String(value).replace('#/components/schemas/', '#/$defs/')]];
      // The names of properties are the contract's own; they may be those of keywords.
      if (name === 'properties') return [[name, mapEntries(Object(value), bare)]];
      return [[name, bare(value)]];
    }),
  );
}

function mapEntries<Value>(values: Record<string, Value>, map: (value: Value) => unknown): object {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}

/** The named schemas that some schemas refer to, and those that these refer to. */
function referenced(document: ContractDocument, schemas: unknown, found: Record<string, unknown> = {}) {
  for (const [, name = ''] of JSON.stringify(schemas).matchAll(/"#\/\$defs\/(\w+)"/g)) {
    if (name in found) continue;
    found[name] = bare(document.components.schemas[name]);
    referenced(document, found[name], found);
  }
  return found;
}
