/** Recognises how the pages of a list continue, by the names that other APIs use. */
import { dig, entriesOf, toPointer } from '../common/json.ts';
import {
  flat,
  type ListParts,
  listBodyOf,
  type Pagination,
  type Schema,
  startOf,
  typesOf,
} from '../contract/pagination.ts';
import type { Draft, JsonObject } from './draft.ts';

/** Names that have the same meaning in many contracts, in any spelling: `page_number` is also `pageNumber` and `page[number]`. */
const names = {
  cursor: words(
    'cursor after starting_after page_token next_token next_cursor page_cursor page_after next_page_token continuation_token',
  ),
  page: words('page page_number page_no'),
  offset: words('offset skip start page_offset'),
  size: words('limit per_page page_size page_limit size count first max_results'),
  items: words('data items results records entries values content'),
  next: words('next next_cursor next_page next_token next_page_token end_cursor'),
  nextUrl: words('next_url next_link @odata.next_link'),
  more: words('has_more has_next has_next_page more'),
  total: words('total total_count total_items total_results total_elements'),
  pages: words('total_pages page_count num_pages'),
};
/** Objects that say something about the page. */
const holders = words('meta metadata pagination paging page page_info links cursors response_metadata');
/** Objects with the list and more. */
const wrappers = words('embedded data result response');

const kinds = { cursor: 'a cursor', page: 'the number of a page', offset: 'an offset', link: 'a link' };

/** Writes the extension `x-pagination` for a list. A list that cannot be understood gets `false` and a note. */
export function completePagination(draft: Draft, key: string, operation: JsonObject, parts: ListParts): void {
  if (draft.isOurs || operation['x-pagination'] !== undefined) return;
  const found = paginationOf(draft.document, parts);
  if (found === undefined) return;
  if (found !== 'unclear') {
    operation['x-pagination'] = found;
    draft.note(`The pages of these lists continue by ${kinds[found.kind]}: x-pagination says how.`, key);
    if (found.kind === 'link' && found.parameter === undefined) {
      draft.note(
        'These lists have links to further pages, and no known query parameter that selects one. The service refuses parameters that the contract does not have, so document it.',
        key,
      );
    }
    return;
  }
  operation['x-pagination'] = false;
  draft.note(
    'These operations return a list, and how its pages continue is not clear. The client reads one page of it. To have a loop over all, write x-pagination, such as { kind: cursor, parameter: after, items: /data, next: /next }. Write false if there is only one page.',
    key,
  );
}

/** How the list of an operation continues; undefined if it is no list, or a JSON array that has no sign of pages but maybe `Link`. */
function paginationOf(document: unknown, parts: ListParts): Pagination | 'unclear' | undefined {
  const body = flat(document, listBodyOf(parts));
  const lists = listsIn(document, body);
  const [items, ...others] = lists;
  if (items === undefined) return undefined;
  const hasLink = parts.responses
    .filter(({ status }) => status.startsWith('2'))
    .flatMap((response) => entriesOf(dig(response, 'headers')))
    .some(([name]) => name.toLowerCase() === 'link');
  if (items.length === 0 && hasLink) return undefined;
  const found = parametersIn(document, parts.parameters);
  const signs = signsIn(document, body);
  // Something else than a list may have a size, too.
  const size = items.every((name) => names.items.has(plain(name))) ? found.size : undefined;
  const hasSigns = found.cursor ?? found.page ?? found.offset ?? size ?? signs.next[0] ?? signs.more;
  if (hasSigns === undefined && !hasLink) return undefined;
  if (others.length > 0) return 'unclear';
  const pagination = continuation(document, parts, found, signs, itemAt(document, body, items));
  const selects = found.cursor ?? found.page ?? found.offset;
  const byHeader = { kind: 'link' as const, ...(selects === undefined ? {} : { parameter: selects.name }) };
  const chosen = pagination ?? (hasLink ? byHeader : undefined);
  if (chosen === undefined) return 'unclear';
  const { kind, ...more } = chosen;
  return {
    kind,
    ...(items.length > 0 ? { items: pointer(items) } : {}),
    ...(found.size === undefined ? {} : { size: found.size.name }),
    ...more,
  };
}

type Parameter = { name: string; isInteger: boolean };
type Parameters = { [Name in 'cursor' | 'page' | 'offset' | 'size']?: Parameter };
type Keys = readonly string[];
type Next = { keys: Keys; isUrl: boolean; isInteger: boolean };
type Signs = {
  next: Next[];
  more: Keys | undefined;
  total: Keys | undefined;
  pages: Keys | undefined;
  last: Keys | undefined;
};

/** The first of the known ways that fits. Ways in which the server names the next page come first. */
function continuation(
  document: unknown,
  { parameters }: ListParts,
  { cursor, page, offset }: Parameters,
  { next, more, total, pages, last }: Signs,
  item: Schema,
): Pagination | undefined {
  const value = next.find(({ isUrl }) => !isUrl);
  const url = next.find(({ isUrl }) => isUrl);
  const until = more === undefined ? {} : { more: pointer(more) };
  if (cursor !== undefined && value !== undefined) {
    return { kind: 'cursor', parameter: cursor.name, next: pointer(value.keys), ...until };
  }
  if (url !== undefined) {
    const selects = cursor ?? page ?? offset;
    return { kind: 'link', next: pointer(url.keys), ...(selects === undefined ? {} : { parameter: selects.name }) };
  }
  if (page !== undefined && value !== undefined && page.isInteger === value.isInteger) {
    return { kind: page.isInteger ? 'page' : 'cursor', parameter: page.name, next: pointer(value.keys), ...until };
  }
  if (cursor !== undefined && more !== undefined) {
    if (last !== undefined) return { kind: 'cursor', parameter: cursor.name, next: pointer(last), ...until };
    const isAfter = words('after starting_after').has(plain(cursor.name));
    const id = flat(document, dig(item, 'properties', 'id'));
    if (isAfter && typesOf(id).some((type) => type === 'string' || type === 'integer')) {
      return { kind: 'cursor', parameter: cursor.name, id: '/id', ...until };
    }
  }
  const ends = {
    ...until,
    ...(total === undefined ? {} : { total: pointer(total) }),
    ...(pages === undefined ? {} : { pages: pointer(pages) }),
  };
  if (page?.isInteger === true && offset === undefined) {
    const numbered = { kind: 'page' as const, parameter: page.name, ...ends };
    return startOf(numbered, parameters) === undefined ? undefined : numbered;
  }
  const { pages: _, ...ofItems } = ends;
  if (offset !== undefined && page === undefined) return { kind: 'offset', parameter: offset.name, ...ofItems };
  return undefined;
}

/** The places of the lists in a body: the body itself, its only list of objects, or the one with a usual name. */
function listsIn(document: unknown, body: Schema): Keys[] {
  if (typesOf(body).includes('array')) return [[]];
  const properties = propertiesOf(document, body);
  const lists = properties.filter(([, schema]) => typesOf(schema).includes('array'));
  const ofObjects = lists.filter(([, { items }]) => typesOf(flat(document, items)).every((type) => type === 'object'));
  const named = lists.filter(([name]) => names.items.has(plain(name)));
  const found = ofObjects.length === 1 ? ofObjects : named.length === 1 ? named : ofObjects;
  if (found.length > 0) return found.map(([name]) => [name]);
  return properties
    .filter(([name, schema]) => wrappers.has(plain(name)) && !typesOf(schema).includes('array'))
    .flatMap(([name, schema]) =>
      propertiesOf(document, schema)
        .filter(([, inner]) => typesOf(inner).includes('array'))
        .map(([inner]) => [name, inner]),
    );
}

function itemAt(document: unknown, body: Schema, keys: Keys): Schema {
  const list = keys.reduce((schema, key) => flat(document, dig(schema['properties'], key)), body);
  return flat(document, list['items']);
}

function parametersIn(document: unknown, parameters: readonly unknown[]): Parameters {
  const found: Parameters = {};
  for (const parameter of parameters) {
    const name = String(dig(parameter, 'name'));
    const schema = flat(document, dig(parameter, 'schema'));
    const types = typesOf(schema);
    // A number or a text. A date filters a list.
    const isInteger = types.every((type) => type === 'integer' || type === 'number') && types.length > 0;
    const isText = types.includes('string') && !/^date/.test(String(schema['format'] ?? ''));
    if (dig(parameter, 'in') !== 'query' || (!isInteger && !isText)) continue;
    if (names.cursor.has(plain(name))) found.cursor ??= { name, isInteger };
    if (names.page.has(plain(name))) found.page ??= { name, isInteger };
    if (names.offset.has(plain(name)) && isInteger) found.offset ??= { name, isInteger };
    if (names.size.has(plain(name)) && isInteger) found.size ??= { name, isInteger };
  }
  return found;
}

/** What a body says about further pages. */
function signsIn(document: unknown, body: Schema): Signs {
  const signs: Signs = { next: [], more: undefined, total: undefined, pages: undefined, last: undefined };
  const visit = (schema: Schema, keys: Keys) => {
    const holder = plain(keys.at(-1) ?? '');
    for (const [name, property] of propertiesOf(document, schema)) {
      const [word, path, types] = [plain(name), [...keys, name], typesOf(property)];
      const isInteger = types.includes('integer');
      if (types.includes('boolean')) {
        if (names.more.has(word)) signs.more ??= path;
      } else if (names.next.has(word) || names.nextUrl.has(word) || (holder === 'cursors' && word === 'after')) {
        const next = nextOf(property, path, names.nextUrl.has(word) || holder === 'links');
        if (next !== undefined) signs.next.push(next);
      } else if (isInteger && names.total.has(word)) signs.total ??= path;
      else if (isInteger && names.pages.has(word)) signs.pages ??= path;
      else if (word === plain('last_id')) signs.last ??= path;
      else if (holders.has(word) && keys.length < 2 && types.includes('object')) visit(property, path);
    }
  };
  visit(body, []);
  return signs;
}

/** A cursor, a number or a URL, which may be the `href` of an object. */
function nextOf(schema: Schema, keys: Keys, isUrl: boolean): Next | undefined {
  const href = dig(schema['properties'], 'href');
  if (href !== undefined) return { keys: [...keys, 'href'], isUrl: true, isInteger: false };
  const types = typesOf(schema);
  if (!types.every((type) => type === 'string' || type === 'integer') || types.length === 0) return undefined;
  const examples = [schema['example'], ...Object.values(Object(schema['examples']))];
  const isLink =
    /^(uri|url|iri)/.test(String(schema['format'] ?? '')) ||
    examples.some((one) => /^(https?:\/)?\//.test(String(one)));
  return { keys, isUrl: isUrl || isLink, isInteger: types.includes('integer') };
}

function propertiesOf(document: unknown, { properties }: Schema): [string, Schema][] {
  return entriesOf(properties).map(([name, schema]) => [name, flat(document, schema)]);
}

function pointer(keys: Keys): string {
  return toPointer(keys).slice(1);
}

/** A name in lower case, without what separates words. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_[\]]/g, '');
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' ').map(plain));
}
