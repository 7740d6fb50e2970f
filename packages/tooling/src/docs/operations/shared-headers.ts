import type { ContractDocument } from '../../contract/document.ts';
import { type Field, fieldList, flatSchema } from '../facts/schema-words.ts';
import type { OperationDocument } from './documented.ts';

/**
 * The headers that the index of the reference describes for all operations, so that their pages leave them out. The key is `keyOf`, because
 * two operations may describe the same header in different words.
 */
export type SharedHeaders = ReadonlyMap<string, Field>;

function keyOf({ name, description = '' }: Field): string {
  return `${name}: ${description}`;
}

/** The headers that every response of every operation has, and those that several operations have only on errors. */
export function sharedHeaders(all: readonly OperationDocument[]): SharedHeaders {
  const operations = all.filter(({ placed }) => !placed.isWebhook);
  if (operations.length < 2) return new Map();
  const common = operations.map(({ commonHeaders }) => new Map(commonHeaders.map((header) => [keyOf(header), header])));
  const everywhere = [...(common[0] ?? [])].filter(([key]) => common.every((headers) => headers.has(key)));
  const onErrors = usesOf(operations)
    .filter(({ key, isErrors, users }) => isErrors && users > 1 && !common.some((headers) => headers.has(key)))
    .map(({ key, field }) => [key, field] as const);
  return new Map([...everywhere, ...onErrors]);
}

/** The headers that the page of an operation describes, each once for each of its descriptions. */
export function ownHeaders(operation: OperationDocument, shared: SharedHeaders): Field[] {
  const common = operation.commonHeaders.map((field) => ({ key: keyOf(field), field }));
  return [...usesOf([operation]), ...common].filter(({ key }) => !shared.has(key)).map(({ field }) => field);
}

/** A section for the index of the reference. */
export function sharedSection(contract: ContractDocument, shared: SharedHeaders): string {
  if (shared.size === 0) return '';
  const intro =
    'Every response has these headers. If a description ends with statuses, only these errors have the header.';
  return `## Response headers\n\n${intro}\n\n${headerList(contract, [...shared.values()])}`;
}

/** Callers do not write these values, so an example helps more than a pattern. */
export function headerList(contract: ContractDocument, headers: readonly Field[]): string {
  const shown = headers.map((field) => {
    const { pattern: _, ...schema } = flatSchema(contract, field.schema);
    return { ...field, schema };
  });
  return fieldList(contract, shown);
}

type Use = { key: string; field: Field; isErrors: boolean; users: number };

/** The headers that not every response has, with the statuses of those that have them. */
function usesOf(operations: readonly OperationDocument[]): Use[] {
  const found = operations.flatMap(({ id, responses }) =>
    responses.flatMap(({ status, isError, headers }) => headers.map((header) => ({ id, status, isError, header }))),
  );
  return Object.entries(Object.groupBy(found, ({ header }) => keyOf(header))).flatMap(([key, uses = []]) => {
    const [first] = uses;
    if (first === undefined) return [];
    const statuses = [...new Set(uses.map(({ status }) => status))].sort();
    const description = `${first.header.description?.trim() ?? ''} On ${statuses.join(', ')}.`.trim();
    return [
      {
        key,
        field: { ...first.header, description },
        isErrors: uses.every(({ isError }) => isError),
        users: new Set(uses.map(({ id }) => id)).size,
      },
    ];
  });
}
