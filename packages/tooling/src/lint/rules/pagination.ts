import { dig, keysOf } from '../../common/json.ts';
import {
  bodyPointers,
  flat,
  listBodyOf,
  type Pagination,
  partOf,
  queryParameter,
  startOf,
  typesOf,
} from '../../contract/pagination.ts';
import type { Rule } from '../redocly.ts';
import { eachServedOperation, type ServedOperation } from '../served.ts';

const extension = 'x-pagination';
/** The types of what the pointers lead to. */
const typesAt = {
  items: ['array'],
  next: ['string', 'integer', 'number'],
  more: ['boolean'],
  total: ['integer', 'number'],
  pages: ['integer', 'number'],
};

/** A client can find each next page of a list where its `x-pagination` says. rule/pagination-is-complete checks its own parts. */
export const pagination: Rule = () =>
  eachServedOperation((operation, report) => {
    const given = dig(operation.node, extension);
    if (typeof given !== 'object') return;
    for (const { key, message } of mistakesOf(operation, Object(given))) {
      const location = operation.location.child([extension]);
      report({ message, location: key === undefined ? location : location.child([key]) });
    }
  });

type Mistake = { key?: string; message: string };

function mistakesOf(operation: ServedOperation, pagination: Pagination): Mistake[] {
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
  return [...pointerMistakes(document, body, pagination), ...parameterMistakes(pagination, parameters)];
}

/** Each pointer leads to a part of the body that has the type of its meaning. */
function pointerMistakes(document: unknown, body: unknown, pagination: Pagination): Mistake[] {
  const items = partOf(document, body, keysOf(isPointer(pagination.items) ? pagination.items : '')).schema;
  const all = [
    ...bodyPointers.map((key) => ({ key, root: body, types: typesAt[key] })),
    { key: 'id' as const, root: items['items'], types: ['string', 'integer', 'number'] },
  ];
  return all.flatMap(({ key, root, types }) => {
    const pointer = pagination[key] ?? (key === 'items' ? '' : undefined);
    if (!isPointer(pointer)) return [];
    const found = typesOf(partOf(document, root, keysOf(pointer)).schema);
    if (found.length > 0 && found.every((type) => types.includes(String(type)))) return [];
    const where = pagination[key] === undefined ? {} : { key };
    const what = found.length === 0 ? 'to nothing' : `to a value of the type ${found.join(' or ')}`;
    const message = `${key} leads ${what} in the schema of the response. It has to lead to a value of the type ${types.join(' or ')}.`;
    return [{ ...where, message }];
  });
}

function isPointer(value: unknown): value is string {
  return value === '' || (typeof value === 'string' && value.startsWith('/'));
}

function parameterMistakes(pagination: Pagination, parameters: readonly unknown[]): Mistake[] {
  const { kind, parameter, next } = pagination;
  const missing = (['parameter', 'size'] as const).flatMap((key) => {
    const name = pagination[key];
    if (name === undefined || queryParameter(parameters, name) !== undefined) return [];
    return [{ key, message: `The operation has no query parameter ${name}. Add it, or correct the name.` }];
  });
  if (missing.length > 0 || kind !== 'page' || parameter === undefined || next !== undefined) return missing;
  if (startOf(pagination, parameters) !== undefined) return [];
  return [{ message: `Write start: 1, or give ${parameter} a default or a minimum, so that the first page is known.` }];
}
