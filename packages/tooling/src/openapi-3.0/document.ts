import { stringify } from 'yaml';
import { dig, keysOf, listOf } from '../common/json.ts';
import { kindOf } from '../contract/document.ts';
import { isMethod } from '../contract/parse.ts';
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
  const { schema, pathItem, component } = createConverter(document);
  const { schemas, securitySchemes, ...groups } = nodeOf(components);
  return {
    openapi: '3.0.3',
    info: infoAs30(nodeOf(info)),
    ...others,
    ...(security === undefined ? {} : { security: withoutScopes(security) }),
    paths: mapValues(paths, (item, path) => pathItem(item, `#/paths/${path}`)),
    ...(webhooks === undefined
      ? {}
      : { 'x-webhooks': mapValues(webhooks, (item, name) => pathItem(item, `#/webhooks/${name}`)) }),
    components: {
      ...(securitySchemes === undefined ? {} : { securitySchemes }),
      ...mapValues(groups, (group, name) =>
        mapValues(group, (one, key) => component(name, one, `#/components/${name}/${key}`)),
      ),
      ...(schemas === undefined
        ? {}
        : { schemas: mapValues(schemas, (one, name) => schema(one, `#/components/schemas/${name}`)) }),
    },
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

function createConverter(document: Node) {
  const schema = (node: unknown, where: string) => schemaAs30(node, where, find);
  return { schema, pathItem, component };

  function find(reference: string): unknown {
    return dig(document, ...keysOf(decodeURIComponent(reference)));
  }

  function component(group: string, node: unknown, where: string): unknown {
    if (group === 'parameters' || group === 'headers') return parameter(node, where);
    if (group === 'requestBodies') return requestBody(node, where);
    if (group === 'responses') return response(node, where);
    if (group === 'callbacks') return mapValues(node, (item, url) => pathItem(item, `${where}/${url}`));
    return node;
  }

  function pathItem(node: unknown, where: string): Node {
    const item = nodeOf(node);
    return Object.fromEntries(
      Object.entries(item).map(([key, value]) => {
        if (key === 'parameters') return [key, parameters(value, `${where}/${key}`)];
        return [key, isMethod(key) ? operation(nodeOf(value), `${where}/${key}`) : value];
      }),
    );
  }

  function operation({ security, ...given }: Node, where: string): Node {
    const scopes = scopesOf(security ?? document['security']);
    return {
      ...given,
      ...(security === undefined ? {} : { security: withoutScopes(security) }),
      ...(scopes.length === 0 ? {} : { 'x-scopes': scopes }),
      ...('parameters' in given ? { parameters: parameters(given['parameters'], `${where}/parameters`) } : {}),
      ...('requestBody' in given ? { requestBody: requestBody(given['requestBody'], `${where}/requestBody`) } : {}),
      responses: mapValues(given['responses'], (one, status) => response(one, `${where}/responses/${status}`)),
      ...('callbacks' in given
        ? {
            callbacks: mapValues(given['callbacks'], (one, name) =>
              component('callbacks', one, `${where}/callbacks/${name}`),
            ),
          }
        : {}),
    };
  }

  function parameters(list: unknown, where: string): unknown[] {
    return listOf(list).map((one, index) => parameter(one, `${where}/${index}`));
  }

  /** A parameter or a header. */
  function parameter(node: unknown, where: string): Node {
    return unlessReference(node, (given) => ({
      ...given,
      ...('schema' in given ? { schema: schema(given['schema'], `${where}/schema`) } : {}),
      ...('content' in given ? { content: content(given['content'], `${where}/content`) } : {}),
    }));
  }

  function requestBody(node: unknown, where: string): Node {
    return unlessReference(node, (given) => ({ ...given, content: content(given['content'], `${where}/content`) }));
  }

  function response(node: unknown, where: string): Node {
    return unlessReference(node, (given) => ({
      ...given,
      ...('headers' in given
        ? { headers: mapValues(given['headers'], (one, name) => parameter(one, `${where}/headers/${name}`)) }
        : {}),
      ...('content' in given ? { content: content(given['content'], `${where}/content`) } : {}),
    }));
  }

  /** In OpenAPI 3.1, a media type without a schema means bytes. In 3.0 it needs a schema that says so. */
  function content(node: unknown, where: string): Node {
    const bytes = { type: 'string', format: 'binary' };
    return mapValues(node, (media, type) => {
      const withoutSchema = kindOf(type) === 'binary' ? { schema: bytes } : {};
      const given = nodeOf(media);
      return {
        ...given,
        ...('schema' in given ? { schema: schema(given['schema'], `${where}/${type}/schema`) } : withoutSchema),
      };
    });
  }

  /** OpenAPI 3.0 ignores a description next to a reference, so the target is copied with the new description. */
  function unlessReference(node: unknown, convert: (given: Node) => Node): Node {
    const { $ref: reference, ...siblings } = nodeOf(node);
    if (typeof reference !== 'string') return convert(siblings);
    if (Object.keys(siblings).length === 0) return { $ref: reference };
    return unlessReference({ ...nodeOf(find(reference)), ...siblings }, convert);
  }
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
