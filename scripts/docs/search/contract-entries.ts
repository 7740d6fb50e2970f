import {
  type DocumentedContract,
  type DocumentedParameter,
  type PlacedOperation,
  placedOperations,
} from '../facts/contract.ts';
import type { SearchEntry } from './entry.ts';

/** An entry for each operation, parameter, header and field of the contract; error codes are in the guide about them. */
export function contractEntries(contract: DocumentedContract): SearchEntry[] {
  const operations = placedOperations(contract);
  const entries = [
    ...operations.map(operationEntry),
    ...operations.flatMap((operation) => parameterEntries(operation, contract)),
    ...headerEntries(contract, operations),
    ...fieldEntries(contract, operations),
  ];
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()];
}

function operationEntry({
  operationId,
  key,
  address,
  summary,
  description,
  responses,
  ...operation
}: PlacedOperation): SearchEntry {
  const marks = [operation.deprecated === true ? 'deprecated' : '', operation['x-stability'] ?? ''];
  return {
    id: address,
    address,
    title: `${summary} (${operationId})`,
    group: key,
    keywords: [operationId, key, ...marks].join(' '),
    // Every operation has nearly every status: as keywords they would hide the guides.
    text: `${oneLine(description)} Replies: ${Object.keys(responses).join(', ')}.`,
  };
}

function parameterEntries(
  { address, parameters = [], summary }: PlacedOperation,
  contract: DocumentedContract,
): SearchEntry[] {
  return parameters.map((parameter) => {
    const { name, description, ...found } = resolved(parameter, contract);
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

function resolved(
  parameter: DocumentedParameter | { $ref: string },
  { components }: DocumentedContract,
): DocumentedParameter {
  if (!('$ref' in parameter)) return parameter;
  const found = components.parameters[nameOf(parameter.$ref)];
  if (found === undefined) throw new Error(`The contract has no ${parameter.$ref}.`);
  return found;
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

function oneLine(text: string): string {
  return text.replaceAll(/[`*]/g, '').replaceAll(/\s+/g, ' ').trim();
}
