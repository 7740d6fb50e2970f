import { dig, entriesOf, keysOf, listOf } from '../src/common/json.ts';
import { resolve } from '../src/contract/document.ts';
import { blobMark } from '../src/contract/forms.ts';
import { methods } from '../src/contract/parse.ts';
import { withPlainComments } from '../src/generate/readable-types.ts';
import { typeName } from '../src/generate/type-names.ts';

/** Each group of components, how its exported names begin, and the type of a component. */
const groups: [group: string, prefix: string, typeOf: (part: unknown) => string][] = [
  ['schemas', '', schemaType],
  ['responses', 'Response', responseType],
  ['parameters', 'Parameter', (parameter) => schemaType(dig(parameter, 'schema'))],
  ['requestBodies', 'RequestBody', bodyType],
  ['headers', 'Header', (header) => schemaType(dig(header, 'schema'))],
];

/**
 * The types of a contract without openapi-typescript: `paths`, `webhooks`, `components` and `operations`, and each component under
 * its own name. Supports the schemas that lint allows.
 *
 * @throws Error for a schema that it does not support
 */
export function plainTypes(document: unknown): string {
  const components = groups.map(([group, , typeOf]) => {
    const parts = entriesOf(dig(document, 'components', group));
    return parts.length === 0
      ? `${group}: never;`
      : `${group}: ${block(parts.map(([name, part]) => member(name, typeOf(part), commentOf(part))))};`;
  });
  const names = groups.flatMap(([group, prefix]) =>
    entriesOf(dig(document, 'components', group)).map(
      ([name]) => `export type ${exportedName(prefix, name)} = components['${group}']['${name}'];`,
    ),
  );
  const webhooks = entriesOf(dig(document, 'webhooks'));
  return withPlainComments(
    [
      `export interface paths ${pathItems(document, 'paths')}`,
      webhooks.length === 0
        ? 'export type webhooks = Record<string, never>;'
        : `export interface webhooks ${pathItems(document, 'webhooks')}`,
      `export interface components ${block([...components, 'pathItems: never;'])}`,
      ...names,
      'export type $defs = Record<string, never>;',
      `export interface operations ${operationTypes(document)}`,
      '',
    ].join('\n'),
  );
}

/** `X-Request-Id` of the headers as `HeaderXRequestId`. Schemas keep their names. */
function exportedName(prefix: string, name: string): string {
  if (prefix === '') return typeName(name);
  const words = name.split(/[^A-Za-z0-9]+/).map((word) => {
    const text = /^[A-Z0-9]+$/.test(word) && name.includes('-') ? word.toLowerCase() : word;
    return text.charAt(0).toUpperCase() + text.slice(1);
  });
  return prefix + words.join('');
}

function pathItems(document: unknown, group: 'paths' | 'webhooks'): string {
  const items = entriesOf(dig(document, group)).map(([name, item]) => {
    const operations = methods.map((method) => {
      const operation = dig(item, method);
      if (operation === undefined) return `${method}?: never;`;
      const type = `operations[${JSON.stringify(dig(operation, 'operationId'))}]`;
      return member(method, type, commentOf(operation));
    });
    return member(name, block([`parameters: ${parameterTypes(document, dig(item, 'parameters'))};`, ...operations]));
  });
  return block(items);
}

function operationTypes(document: unknown): string {
  const items = [...entriesOf(dig(document, 'paths')), ...entriesOf(dig(document, 'webhooks'))];
  const operations = items.flatMap(([, item]) =>
    methods
      .map((method) => dig(item, method))
      .filter((operation) => operation !== undefined)
      .map((operation) => {
        const parameters = [...listOf(dig(item, 'parameters')), ...listOf(dig(operation, 'parameters'))];
        const responses = entriesOf(dig(operation, 'responses'));
        const type = block([
          `parameters: ${parameterTypes(document, parameters)};`,
          requestBody(document, dig(operation, 'requestBody')),
          `responses: ${block(responses.map(([status, part]) => member(status, responseType(part), commentOf(part))))};`,
        ]);
        return member(String(dig(operation, 'operationId')), type);
      }),
  );
  return block(operations);
}

function parameterTypes(document: unknown, parameters: unknown): string {
  const all = listOf(parameters).map((part) => ({ part, found: resolve(document, part) }));
  const places = ['query', 'header', 'path', 'cookie'].map((place) => {
    const here = all.filter(({ found }) => dig(found, 'in') === place);
    if (here.length === 0) return `${place}?: never;`;
    const members = here.map(({ part, found }) => {
      const type = referenceOf(part) ?? schemaType(dig(found, 'schema'));
      return member(String(dig(found, 'name')), type, commentOf(found), dig(found, 'required') !== true);
    });
    const isOptional = here.every(({ found }) => dig(found, 'required') !== true);
    return `${place}${isOptional ? '?' : ''}: ${block(members)};`;
  });
  return block(places);
}

function requestBody(document: unknown, body: unknown): string {
  if (body === undefined) return 'requestBody?: never;';
  const isOptional = dig(resolve(document, body), 'required') !== true;
  return member('requestBody', referenceOf(body) ?? bodyType(body), commentOf(body), isOptional);
}

function bodyType(body: unknown): string {
  return block([`content: ${contentType(dig(body, 'content'))};`]);
}

function responseType(response: unknown): string {
  const reference = referenceOf(response);
  if (reference !== undefined) return reference;
  const headers = entriesOf(dig(response, 'headers')).map(([name, header]) => {
    const shared = referenceOf(header);
    if (shared !== undefined) return member(name, shared);
    return member(name, schemaType(dig(header, 'schema')), commentOf(header), dig(header, 'required') !== true);
  });
  const content = dig(response, 'content');
  return block([
    `headers: ${block([...headers, '[name: string]: unknown;'])};`,
    content === undefined ? 'content?: never;' : `content: ${contentType(content)};`,
  ]);
}

function contentType(content: unknown): string {
  return block(
    entriesOf(content).map(([type, media]) => {
      const schema = dig(media, 'schema');
      return member(type, schema === undefined ? 'unknown' : schemaType(schema));
    }),
  );
}

/** The type of the values that a schema accepts. */
function schemaType(schema: unknown): string {
  const reference = referenceOf(schema);
  if (reference !== undefined) return reference;
  if (dig(schema, 'const') !== undefined) return JSON.stringify(dig(schema, 'const'));
  if (dig(schema, blobMark) === true) return 'Blob';
  const values = dig(schema, 'enum');
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  const choices = dig(schema, 'oneOf') ?? dig(schema, 'anyOf');
  if (Array.isArray(choices)) return choices.map(schemaType).join(' | ');
  const parts = dig(schema, 'allOf');
  if (Array.isArray(parts)) return parts.map(schemaType).join(' & ');
  return typesOf(schema)
    .map((type) => typeOfKind(type, schema))
    .join(' | ');
}

function typesOf(schema: unknown): unknown[] {
  const type = dig(schema, 'type');
  return Array.isArray(type) ? type : [type];
}

function typeOfKind(type: unknown, schema: unknown): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      const items = schemaType(dig(schema, 'items'));
      return / [|&] /.test(items) && !items.startsWith('{') ? `(${items})[]` : `${items}[]`;
    }
    case 'object':
      return objectType(schema);
    default:
      throw new Error(`The contract has a schema for which no type can be written: ${JSON.stringify(schema)}`);
  }
}

function objectType(schema: unknown): string {
  const required = listOf(dig(schema, 'required'));
  const members = entriesOf(dig(schema, 'properties')).map(([name, property]) =>
    member(name, schemaType(property), commentOf(property), !required.includes(name)),
  );
  const further = dig(schema, 'additionalProperties');
  const parts = members.length === 0 ? [] : [block(members)];
  if (further === true) parts.push(block(['[key: string]: unknown;']));
  else if (typeof further === 'object') parts.push(block([`[key: string]: ${schemaType(further)};`]));
  return parts.length === 0 ? 'Record<string, never>' : parts.join(' & ');
}

/** `#/components/schemas/Note` as `components["schemas"]["Note"]`; undefined if the part is not a reference. */
function referenceOf(part: unknown): string | undefined {
  const pointer = dig(part, '$ref');
  if (typeof pointer !== 'string') return undefined;
  const [first = '', ...rest] = keysOf(pointer);
  return first + rest.map((key) => `[${JSON.stringify(key)}]`).join('');
}

function member(name: string, type: string, comment = '', isOptional = false): string {
  const key = /^([A-Za-z_$][\w$]*|\d+)$/.test(name) ? name : JSON.stringify(name);
  return `${comment}${key}${isOptional ? '?' : ''}: ${type};`;
}

function block(members: string[]): string {
  return `{\n${members.map((text) => text.replaceAll(/^(?=.)/gm, '    ')).join('\n')}\n}`;
}

/** The comment that an editor shows on hover. A parameter or header has the example of its schema. */
function commentOf(part: unknown): string {
  const schema = dig(part, 'schema');
  const fact = (name: string) => dig(part, name) ?? dig(schema, name);
  const lines: string[] = [];
  if (fact('summary') !== undefined) lines.push(String(fact('summary')));
  if (fact('deprecated') === true) lines.push('@deprecated');
  if (dig(part, 'format') !== undefined) lines.push(`Format: ${dig(part, 'format')}`);
  for (const tag of ['description', 'example']) {
    const value = fact(tag);
    if (value === undefined) continue;
    const text = typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value).trimEnd();
    lines.push(`@${tag} ${text.replaceAll('\n', '\n    ')}`);
  }
  if (Array.isArray(dig(part, 'enum'))) lines.push(`@enum {${typesOf(part).join('|')}}`);
  const text = lines.join('\n').replaceAll('*/', '*\\/');
  if (text === '') return '';
  return text.includes('\n')
    ? `/**\n${text.replaceAll(/^/gm, ' * ').replaceAll(/ +$/gm, '')}\n */\n`
    : `/** ${text} */\n`;
}
