import { dig, entriesOf, keysOf } from '../../common/json.ts';
import {
  bodyPointers,
  flat,
  listBodyOf,
  type Pagination,
  pagingKinds,
  partOf,
  queryParameter,
  startOf,
  typesOf,
} from '../../contract/pagination.ts';
import type { Rule } from '../redocly.ts';
import { eachServedOperation, type ServedOperation, successesOf } from '../served.ts';

const extension = 'x-pagination';
/** The types of what the pointers lead to. */
const typesAt = {
  items: ['array'],
  next: ['string', 'integer', 'number'],
  more: ['boolean'],
  total: ['integer', 'number'],
  pages: ['integer', 'number'],
};
const numbers = ['start'];
const texts = ['kind', 'parameter', 'size', 'id', ...bodyPointers];

/** A client can find each next page of a list with what its `x-pagination` says. */
export const pagination: Rule = () =>
  eachServedOperation((operation, report) => {
    const given = dig(operation.node, extension);
    if (given === undefined || given === false) return;
    for (const { key, message } of mistakesOf(operation, given)) {
      const location = operation.location.child([extension]);
      report({ message, location: key === undefined ? location : location.child([key]) });
    }
  });

type Mistake = { key?: string; message: string };

function mistakesOf(operation: ServedOperation, given: unknown): Mistake[] {
  const shape = shapeMistake(given);
  if (shape !== undefined) return [shape];
  const pagination: Pagination = Object(given);
  const { document, method, parameters: parts, responses } = operation;
  const parameters = parts.map(({ node }) => ({ ...Object(node), schema: flat(document, dig(node, 'schema')) }));
  const body = listBodyOf({
    method: method.toUpperCase(),
    operation: operation.node,
    parameters,
    responses: responses.map(({ status, node }) => ({ status, content: dig(node, 'content') })),
  });
  if (body === undefined) {
    return [{ message: 'x-pagination is for a GET with one successful response, in JSON. Remove it here.' }];
  }
  return [
    ...pointerMistakes(document, body, pagination),
    ...parameterMistakes(pagination, parameters),
    ...kindMistakes(operation, pagination, parameters),
  ];
}

function shapeMistake(given: unknown): Mistake | undefined {
  const kinds = pagingKinds.join(', ');
  if (typeof given !== 'object' || !pagingKinds.some((kind) => kind === dig(given, 'kind'))) {
    return { message: `x-pagination is an object with the kind ${kinds.replace(/, (\w+)$/, ' or $1')}, or false.` };
  }
  for (const [key, value] of entriesOf(given)) {
    const type = texts.includes(key) ? 'string' : numbers.includes(key) ? 'number' : undefined;
    if (type === undefined)
      return { key, message: `x-pagination has no ${key}. Use ${[...texts, ...numbers].join(', ')}.` };
    if (typeof value !== type) return { key, message: `${key} is a ${type}.` };
  }
  return undefined;
}

/** Each pointer leads to a part of the body that has the type of its meaning. */
function pointerMistakes(document: unknown, body: unknown, pagination: Pagination): Mistake[] {
  const items = partOf(document, body, keysOf(pagination.items ?? '')).schema;
  const all = [
    ...bodyPointers.map((key) => ({ key, root: body, types: typesAt[key] })),
    { key: 'id' as const, root: items['items'], types: ['string', 'integer', 'number'] },
  ];
  return all.flatMap(({ key, root, types }) => {
    const pointer = pagination[key] ?? (key === 'items' ? '' : undefined);
    if (pointer === undefined) return [];
    if (pointer !== '' && !pointer.startsWith('/')) {
      return [{ key, message: `${key} is a JSON pointer, such as /data. Write it with a slash at its beginning.` }];
    }
    const found = typesOf(partOf(document, root, keysOf(pointer)).schema);
    if (found.length > 0 && found.every((type) => types.includes(String(type)))) return [];
    const where = pagination[key] === undefined ? {} : { key };
    const what = found.length === 0 ? 'to nothing' : `to a value of the type ${found.join(' or ')}`;
    const message = `${key} leads ${what} in the schema of the response. It has to lead to a value of the type ${types.join(' or ')}.`;
    return [{ ...where, message }];
  });
}

function parameterMistakes(pagination: Pagination, parameters: readonly unknown[]): Mistake[] {
  return (['parameter', 'size'] as const).flatMap((key) => {
    const name = pagination[key];
    if (name === undefined || queryParameter(parameters, name) !== undefined) return [];
    return [{ key, message: `The operation has no query parameter ${name}. Add it, or correct the name.` }];
  });
}

/** What each kind needs to find the next page. */
function kindMistakes(operation: ServedOperation, pagination: Pagination, parameters: readonly unknown[]): Mistake[] {
  const { kind, parameter, next, id } = pagination;
  if (kind === 'link') {
    const hasHeader = successesOf(operation).some(({ headers }) =>
      headers.some(({ name }) => name.toLowerCase() === 'link'),
    );
    if (next !== undefined || hasHeader) return [];
    return [
      {
        message: 'A list with links needs next, which leads to the URL in the body, or a Link header in its response.',
      },
    ];
  }
  if (parameter === undefined)
    return [{ message: `The kind ${kind} needs parameter, the query parameter that selects a page.` }];
  if (kind === 'cursor' && next === undefined && id === undefined) {
    return [
      {
        message:
          'A list with cursors needs `next`, which leads to the next cursor, or `id`, which leads to it in the last item.',
      },
    ];
  }
  if (kind === 'page' && next === undefined && startOf(pagination, parameters) === undefined) {
    return [
      {
        message: `It is not known which number the first page has. Write start: 1, or give ${parameter} a default or a minimum.`,
      },
    ];
  }
  return [];
}
