import { type ContractDocument, parameterOf } from '../../contract/document.ts';
import { marksOf, mediaTypesOf, noteOn, type PlacedOperation, placedWithWebhooks } from '../facts/contract.ts';
import { schemaName } from '../facts/schema-words.ts';
import { errorAddress } from '../facts/tables.ts';
import type { Guide } from '../guides/read-guides.ts';
import { renderMarkdown } from '../markdown/render.ts';
import { operationDocuments } from '../operations/documented.ts';
import { sharedHeaders } from '../operations/shared-headers.ts';
import { searchIndexPath } from '../shell/header.ts';
import type { SiteFile } from '../site-file.ts';
import { siteSettings } from '../site-settings.ts';
import type { EntryKind, SearchEntry } from './entry.ts';
import type { SearchIndex } from './find.ts';

/** All entries of the search. */
export function searchEntries(contract: ContractDocument, guides: readonly Guide[], changelog: string): SearchEntry[] {
  return [
    ...guides.flatMap(({ name, title, markdown }) =>
      sectionEntries(`guides/${name}.html`, title, markdown, name.startsWith('client-') ? 'Client' : 'Guides'),
    ),
    ...contractEntries(contract),
    ...sectionEntries('changelog.html', 'Changelog', changelog, 'Changelog'),
  ];
}

/** What the browser loads when a reader searches. */
export function searchIndex(entries: readonly SearchEntry[]): SiteFile {
  const index: SearchIndex = { entries, synonyms: siteSettings.synonyms };
  return { path: searchIndexPath, content: JSON.stringify(index) };
}

/**
 * One entry for each section of a page: a reader wants the section, not the page. Sections about error codes have their
 * own entries.
 */
function sectionEntries(page: string, title: string, markdown: string, kind: EntryKind): SearchEntry[] {
  return renderMarkdown(markdown)
    .headings.filter(({ id }) => !/^[a-z]+(_[a-z]+)+$/.test(id))
    .map(({ level, id, title: heading, text, code }) => ({
      address: level === 1 ? page : `${page}#${id}`,
      title: heading,
      kind,
      group: level === 1 ? '' : title,
      keywords: '',
      text,
      ...(code === '' ? {} : { code }),
    }));
}

/** An entry for each operation, webhook, parameter, header, field and error code of the contract. */
export function contractEntries(contract: ContractDocument): SearchEntry[] {
  const operations = placedWithWebhooks(contract);
  return [
    ...operations.map(operationEntry),
    ...parameterEntries(operations, contract),
    ...headerEntries(contract, operations),
    ...fieldEntries(contract, operations),
    ...errorEntries(contract),
  ];
}

function operationEntry(operation: PlacedOperation): SearchEntry {
  const { operationId, key, address, summary, description = '', isWebhook } = operation;
  // Words that almost every operation has, such as JSON, a status or a key, would hide the guides.
  const mediaTypes = mediaTypesOf(operation).filter((name) => name !== 'application/json');
  const isPublic = operation.access === 'public' && !isWebhook;
  return {
    address,
    title: `${summary} (${operationId})`,
    kind: 'Operations',
    group: [isWebhook ? 'Webhook' : key, ...marksOf(operation)].join(' · '),
    keywords: [operationId, key, ...mediaTypes, isPublic ? 'public' : ''].join(' '),
    text: oneLine(`${noteOn(operation)} ${description}`),
  };
}

/** One entry for a parameter that several operations share. It leads to the first of them. */
function parameterEntries(operations: readonly PlacedOperation[], contract: ContractDocument): SearchEntry[] {
  const entries = new Map<string, SearchEntry>();
  for (const { address, parameters = [], summary } of operations) {
    for (const { name, in: place, description = '' } of parameters.map((parameter) =>
      parameterOf(parameter, contract),
    )) {
      const key = `${name} ${description}`;
      const known = entries.get(key);
      const group = known === undefined ? summary : `${known.group}, ${summary}`;
      const entry = known ?? {
        address,
        title: name,
        kind: 'Parameters and fields',
        keywords: place,
        text: oneLine(description),
      };
      entries.set(key, { ...entry, group });
    }
  }
  return [...entries.values()];
}

/** A header that all operations share leads to the index, another one to the first operation that has it. */
function headerEntries(contract: ContractDocument, operations: readonly PlacedOperation[]): SearchEntry[] {
  const shared = new Set([...sharedHeaders(operationDocuments(contract)).values()].map(({ name }) => name));
  return Object.entries(contract.components.headers).flatMap(([name, { description = '' }]) => {
    const operation =
      operations.find(({ responses }) => mentions(responses, `#/components/headers/${name}`)) ?? operations[0];
    if (operation === undefined) return [];
    const kind = 'Parameters and fields' as const;
    return [
      {
        address: shared.has(name) ? 'operations/index.html#response-headers' : operation.address,
        title: name,
        kind,
        group: 'Header',
        keywords: 'header',
        text: oneLine(description),
      },
    ];
  });
}

/** A field leads to the first operation whose request or response has its schema. */
function fieldEntries(
  { components: { schemas } }: ContractDocument,
  operations: readonly PlacedOperation[],
): SearchEntry[] {
  return Object.entries(schemas).flatMap(([schema, { properties = {} }]) => {
    const operation =
      operations.find((candidate) => mentions(candidate, `#/components/schemas/${schema}"`)) ?? operations[0];
    if (operation === undefined) return [];
    return Object.entries(properties).map(([field, property]) => ({
      address: operation.address,
      title: `${schema}.${field}`,
      kind: 'Parameters and fields' as const,
      group: 'Field',
      keywords: `${schema} ${field}`,
      text: oneLine(('$ref' in property ? schemas[schemaName(property)]?.description : property.description) ?? ''),
    }));
  });
}

function errorEntries({ components: { schemas } }: ContractDocument): SearchEntry[] {
  return Object.entries(schemas.ErrorCode['x-codes']).map(([code, { status, cause, action }]) => ({
    address: errorAddress(code),
    title: code,
    kind: 'Error codes',
    group: String(status),
    keywords: `error ${status}`,
    text: oneLine(`${cause} ${action}`),
  }));
}

function mentions(part: object, reference: string): boolean {
  return JSON.stringify(part).includes(reference);
}

/** The text without formatting. An asterisk in backticks is not formatting: `If-Match: *`. */
function oneLine(text: string): string {
  return text
    .replaceAll(/`([^`]*)`|\*/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
