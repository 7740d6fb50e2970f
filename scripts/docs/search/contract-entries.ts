import {
  type DocumentedContract,
  mediaTypesOf,
  noteOn,
  type PlacedOperation,
  parameterOf,
  placedOperations,
  placedWebhooks,
} from '../facts/contract.ts';
import type { SearchEntry } from './entry.ts';

/** An entry for each operation, webhook, parameter, header and field of the contract; error codes are in the guide about them. */
export function contractEntries(contract: DocumentedContract): SearchEntry[] {
  const operations = [...placedOperations(contract), ...placedWebhooks(contract)];
  const entries = [
    ...operations.map(operationEntry),
    ...operations.flatMap((operation) => parameterEntries(operation, contract)),
    ...headerEntries(contract, operations),
    ...fieldEntries(contract, operations),
  ];
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()];
}

function operationEntry(operation: PlacedOperation): SearchEntry {
  const { operationId, key, address, summary, description = '', responses, isWebhook } = operation;
  const marks = [operation.deprecated === true ? 'deprecated' : '', operation['x-stability'] ?? ''];
  // As keywords, words that almost every operation has, such as JSON, a status or a key, would hide the guides.
  const mediaTypes = mediaTypesOf(operation).filter((name) => name !== 'application/json');
  const isPublic = operation.access === 'public' && !isWebhook;
  return {
    id: address,
    address,
    title: `${summary} (${operationId})`,
    group: isWebhook ? 'Webhook' : key,
    keywords: [operationId, key, ...marks, ...mediaTypes, isPublic ? 'public' : ''].join(' '),
    text: oneLine(`${noteOn(operation)} ${description} Replies: ${Object.keys(responses).join(', ')}.`),
  };
}

function parameterEntries(
  { address, parameters = [], summary }: PlacedOperation,
  contract: DocumentedContract,
): SearchEntry[] {
  return parameters.map((parameter) => {
    const { name, description, ...found } = parameterOf(parameter, contract);
    return {
      address,
      id: `${address}?${found.in}=${name}`,
      title: name,
      group: summary,
      keywords: found.in,
      text: oneLine(description),
    };
  });
}

/** A header stands in the first operation that has it. */
function headerEntries({ components }: DocumentedContract, operations: readonly PlacedOperation[]): SearchEntry[] {
  return Object.entries(components.headers).flatMap(([name, { description }]) => {
    const operation =
      operations.find(({ responses }) => mentions(responses, `#/components/headers/${name}`)) ?? operations[0];
    if (operation === undefined) return [];
    return [
      {
        address: operation.address,
        id: `${operation.address}?header=${name}`,
        title: name,
        group: 'Header',
        keywords: 'header',
        text: oneLine(description),
      },
    ];
  });
}

/** A field stands in the first operation whose request or reply has its schema. */
function fieldEntries(
  { components: { schemas } }: DocumentedContract,
  operations: readonly PlacedOperation[],
): SearchEntry[] {
  return Object.entries(schemas).flatMap(([schema, { properties = {} }]) => {
    const operation =
      operations.find((candidate) => mentions(candidate, `#/components/schemas/${schema}"`)) ?? operations[0];
    if (operation === undefined) return [];
    return Object.entries(properties).map(([field, property]) => ({
      address: operation.address,
      id: `${operation.address}?field=${schema}.${field}`,
      title: `${schema}.${field}`,
      group: 'Field',
      keywords: `${schema} ${field}`,
      text: oneLine(('$ref' in property ? schemas[nameOf(property.$ref)]?.description : property.description) ?? ''),
    }));
  });
}

function mentions(part: object, reference: string): boolean {
  return JSON.stringify(part).includes(reference);
}

function nameOf(reference: string): string {
  return reference.split('/').at(-1) ?? '';
}

/** The text without its marks. An asterisk in backticks is not a mark: `If-Match: *`. */
function oneLine(text: string): string {
  return text
    .replaceAll(/`([^`]*)`|\*/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
