/** How the pages of a list continue: the extension `x-pagination`. */
import { dig, entriesOf, keysOf, listOf } from '../common/json.ts';
import { kindOf, resolve, targetOf } from './document.ts';

/** The pointers of the extension into the body. */
export const bodyPointers = ['items', 'next', 'more', 'total', 'pages'] as const;
type Pointer = (typeof bodyPointers)[number] | 'id';

type Common = {
  kind: 'cursor' | 'page' | 'offset' | 'link';
  /** The query parameter that selects a page. */
  parameter?: string;
  /** The query parameter for the number of items. */
  size?: string;
  /** The number of the first page. Default: the default or the minimum of the parameter. */
  start?: number;
};

/** The extension, with JSON pointers into the body; `id` leads into its last item. */
export type Pagination = Common & { [Name in Pointer]?: string };

/** The extension as the client reads it, with keys in place of pointers. */
export type Paging = Common & { [Name in Pointer]?: string[] } & { optional?: true };

/** A list: how it continues, and the schema of its items. */
export type ListFacts = {
  /** Undefined for a JSON array, which may have a `Link` header. */
  paging: Paging | undefined;
  items: unknown;
};

/** The parts of an operation that its list depends on, with their references to components followed. */
type ListParts = {
  method: string;
  operation: unknown;
  parameters: readonly unknown[];
  responses: readonly { status: string; content?: unknown }[];
};

/**
 * How the list of an operation continues; undefined if it returns no list, and null for a list whose next page the contract does not
 * explain.
 */
export function listFactsOf(document: unknown, parts: ListParts): ListFacts | null | undefined {
  const body = listBodyOf(parts);
  if (body === undefined) return undefined;
  const given: Pagination | false | undefined = Object(parts.operation)['x-pagination'];
  if (given === false) return null;
  const keys = keysOf(given?.items ?? '');
  const { schema, isRequired } = partOf(document, body, keys);
  if (given === undefined) {
    // A body that may also be null is not a list.
    const isArray = dig(resolve(document, body), 'type') === 'array';
    return isArray ? { paging: undefined, items: schema['items'] } : undefined;
  }
  const isPlain = given.kind === 'link' && given.next === undefined && keys.length === 0;
  if (isPlain) return { paging: undefined, items: schema['items'] };
  const optional = isRequired ? {} : { optional: true as const };
  return { paging: { ...pagingOf(given, parts.parameters), ...optional }, items: schema['items'] };
}

function pagingOf(given: Pagination, parameters: readonly unknown[]): Paging {
  const pointers = [...bodyPointers, 'id' as const].flatMap((name) => {
    const keys = keysOf(given[name] ?? '');
    return keys.length === 0 ? [] : [[name, keys]];
  });
  const start = given.kind === 'cursor' ? undefined : startOf(given, parameters);
  return {
    kind: given.kind,
    ...(given.parameter === undefined ? {} : { parameter: given.parameter }),
    ...(given.size === undefined ? {} : { size: given.size }),
    ...(start === undefined ? {} : { start }),
    ...Object.fromEntries(pointers),
  };
}

/** The number of the first page; undefined if neither the extension nor the parameter says it. The first item has the number 0. */
export function startOf({ kind, start, parameter }: Pagination, parameters: readonly unknown[]): number | undefined {
  const schema = dig(queryParameter(parameters, parameter), 'schema');
  const exclusive = dig(schema, 'exclusiveMinimum');
  const minimum = typeof exclusive === 'number' ? exclusive + 1 : dig(schema, 'minimum');
  const found = [start, dig(schema, 'default'), kind === 'offset' ? 0 : minimum];
  return found.filter((value) => typeof value === 'number')[0];
}

export function queryParameter(parameters: readonly unknown[], name: string | undefined): unknown {
  return parameters.find((one) => dig(one, 'in') === 'query' && dig(one, 'name') === name);
}

/** The schema of the only successful JSON body of a GET; undefined if it has none, or several. */
export function listBodyOf({ method, responses }: ListParts): unknown {
  const contents = responses.filter(({ status }) => /^2/.test(status)).map(({ content }) => content);
  const json = contents.flatMap(entriesOf).filter(([type]) => kindOf(type) === 'json');
  return method === 'GET' && contents.length === 1 && json.length === 1 ? dig(json[0]?.[1], 'schema') : undefined;
}

export type Schema = Readonly<Record<string, unknown>>;

/**
 * A schema with its reference followed, and with the parts of `allOf` merged. A choice between a schema and null is the schema. Keywords
 * next to a `$ref` override those of the component.
 */
export function flat(document: unknown, node: unknown, depth = 0): Schema {
  // A schema may contain itself.
  if (depth > 9) return {};
  const { $ref: reference, ...own } = Object(node);
  const referenced = typeof reference === 'string' ? [targetOf(document, reference)] : [];
  const choices = [...listOf(own.oneOf), ...listOf(own.anyOf)].filter((choice) => dig(choice, 'type') !== 'null');
  const inner = [...listOf(own.allOf), ...(choices.length === 1 ? choices : []), ...referenced];
  const parts = [...inner.map((part) => flat(document, part, depth + 1)), own];
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required }) => listOf(required)),
  };
}

/** The types of a schema, without null. */
export function typesOf({ type, properties }: Schema): unknown[] {
  if (type === undefined) return entriesOf(properties).length > 0 ? ['object'] : [];
  return [type].flat().filter((one) => one !== 'null');
}

/** The schema at the end of a path of keys in a body, empty if there is none, and whether every body has it. */
export function partOf(document: unknown, body: unknown, keys: readonly string[]) {
  let isRequired = true;
  let node = body;
  for (const key of keys) {
    const outer = flat(document, node);
    isRequired &&= listOf(outer['required']).includes(key) && !mayBeNull(document, node);
    node = dig(outer['properties'], key);
  }
  return { schema: flat(document, node), isRequired: isRequired && !mayBeNull(document, node) };
}

function mayBeNull(document: unknown, node: unknown): boolean {
  const target = resolve(document, node);
  const choices = [...listOf(dig(target, 'oneOf')), ...listOf(dig(target, 'anyOf'))];
  return [dig(target, 'type')].flat().includes('null') || choices.some((choice) => dig(choice, 'type') === 'null');
}
