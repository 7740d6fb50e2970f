import { stringify } from 'yaml';
import { listOf } from '../common/json.ts';
import { kindOf, targetOf } from '../contract/document.ts';
import { methods } from '../contract/parse.ts';
import { isNode, type Node, nodeOf, refusal, schemaAs30 } from './schema.ts';

/** The contract in OpenAPI 3.0, for tools that do not support 3.1. */
export function yamlAs30(document: Node): string {
  const comment = ' The contract in OpenAPI 3.0, for tools that do not support 3.1. It is generated from openapi.yaml.';
  return `#${comment}\n${stringify(documentAs30(document), { aliasDuplicateObjects: false, lineWidth: 0 })}`;
}

/**
 * An OpenAPI 3.1 document as an OpenAPI 3.0 document with the same operations, whose schemas allow the same values. Scopes of
 * operations become `x-scopes`, because 3.0 has scopes for OAuth 2 only, and webhooks become `x-webhooks`.
 *
 * @throws Error that names the first part that OpenAPI 3.0 cannot express
 */
export function documentAs30(document: Node): Node {
  for (const { key, message } of refusalsOfRoot(document)) throw new Error(`#/${key}: ${message}`);
  const { openapi: _, jsonSchemaDialect: __, info, paths, webhooks, components, security, ...others } = document;
  const convert = createConverter(document);
  const { schemas, securitySchemes, ...groups } = nodeOf(components);
  return {
    openapi: '3.0.3',
    info: infoAs30(nodeOf(info)),
    ...others,
    ...(security === undefined ? {} : { security: withoutScopes(security) }),
    paths: convert('paths', paths ?? {}, '#/paths'),
    ...(webhooks === undefined ? {} : { 'x-webhooks': convert('paths', webhooks, '#/webhooks') }),
    components: mapValues(
      {
        ...(securitySchemes === undefined ? {} : { securitySchemes }),
        ...groups,
        ...(schemas === undefined ? {} : { schemas }),
      },
      (group, name) => convert(name, group, `#/components/${name}`),
    ),
  };
}

const dialect = 'https://spec.openapis.org/oas/3.1/dialect/base';

/** The parts of a document, apart from its schemas, that OpenAPI 3.0 cannot express, by their path of keys. */
export function refusalsOfRoot(document: unknown): { key: string; message: string }[] {
  const { jsonSchemaDialect = dialect, components } = nodeOf(document);
  const pathItems = nodeOf(components)['pathItems'];
  return [
    ...(jsonSchemaDialect === dialect
      ? []
      : [{ key: 'jsonSchemaDialect', message: refusal('jsonSchemaDialect', 'Remove it.') }]),
    ...(pathItems === undefined
      ? []
      : [{ key: 'components/pathItems', message: refusal('pathItems', 'Write each path item under paths.') }]),
  ];
}

function infoAs30({ summary, license, ...info }: Node): Node {
  const { identifier, ...rest } = nodeOf(license);
  const url = identifier === undefined ? {} : { url: `https://spdx.org/licenses/${identifier}.html` };
  return {
    ...info,
    ...(license === undefined ? {} : { license: { ...rest, ...url } }),
    ...(summary === undefined ? {} : { 'x-summary': summary }),
  };
}

/** A kind of part, and the kinds of the parts in it by their keys; `*` stands for all keys of a map or a list. */
const partsOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  paths: { '*': 'pathItem' },
  pathItem: { parameters: 'parameters', ...Object.fromEntries(methods.map((method) => [method, 'operation'])) },
  operation: {
    parameters: 'parameters',
    requestBody: 'requestBody',
    responses: 'responses',
    callbacks: 'callbacks',
  },
  callbacks: { '*': 'paths' },
  parameters: { '*': 'parameter' },
  headers: { '*': 'parameter' },
  parameter: { schema: 'schema', content: 'content' },
  requestBodies: { '*': 'requestBody' },
  requestBody: { content: 'content' },
  responses: { '*': 'response' },
  response: { headers: 'headers', content: 'content' },
  content: { '*': 'mediaType' },
  mediaType: { schema: 'schema' },
  schemas: { '*': 'schema' },
};

/** Converts a part of a document, such as a `response`, and the parts in it. */
function createConverter(document: Node) {
  const find = (reference: string) => targetOf(document, reference);
  return convert;

  function convert(kind: string, node: unknown, where: string): unknown {
    if (kind === 'schema') return schemaAs30(node, where, find);
    const parts = partsOf[kind] ?? {};
    const below = (value: unknown, key: string | number) => {
      const part = parts[key] ?? parts['*'];
      return part === undefined ? value : convert(part, value, `${where}/${key}`);
    };
    if (Array.isArray(node)) return node.map(below);
    if (!isNode(node)) return node;
    // OpenAPI 3.0 ignores a description next to a reference, so the target is copied with the new description.
    const { $ref: reference, ...siblings } = node;
    if (typeof reference === 'string') {
      if (Object.keys(siblings).length === 0) return node;
      return convert(kind, { ...nodeOf(find(reference)), ...siblings }, where);
    }
    if (kind === 'operation') return mapValues(withScopes(node, document), below);
    return mapValues(kind === 'content' ? mapValues(node, withBytes) : node, below);
  }
}

function withScopes({ security, ...operation }: Node, document: Node): Node {
  const scopes = scopesOf(security ?? document['security']);
  return {
    ...operation,
    ...(security === undefined ? {} : { security: withoutScopes(security) }),
    ...(scopes.length === 0 ? {} : { 'x-scopes': scopes }),
  };
}

/** In OpenAPI 3.1, a media type without a schema means bytes. In 3.0 it needs a schema that says so. */
function withBytes(media: unknown, type: string): Node {
  const given = nodeOf(media);
  const isBytes = kindOf(type) === 'binary' && !('schema' in given);
  return isBytes ? { ...given, schema: { type: 'string', format: 'binary' } } : given;
}

function withoutScopes(security: unknown): Node[] {
  return listOf(security).map((requirement) => mapValues(requirement, () => []));
}

function scopesOf(security: unknown): unknown[] {
  return [...new Set(listOf(security).flatMap((requirement) => Object.values(nodeOf(requirement)).flat()))];
}

function mapValues(node: unknown, change: (value: unknown, key: string) => unknown): Node {
  if (!isNode(node)) return {};
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value, key)]));
}
