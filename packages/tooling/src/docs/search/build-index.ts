import type { ContractDocument } from '../../contract/document.ts';
import { marksOf, mediaTypesOf } from '../facts/contract.ts';
import { errorAddress } from '../facts/tables.ts';
import type { Guide } from '../guides/read-guides.ts';
import { renderMarkdown } from '../markdown/render.ts';
import { type OperationDocument, operationDocuments } from '../operations/documented.ts';
import { operationParts } from '../operations/markdown.ts';
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

/** An entry for each operation and error code of the contract. */
export function contractEntries(contract: ContractDocument): SearchEntry[] {
  return [...operationDocuments(contract).map((one) => operationEntry(contract, one)), ...errorEntries(contract)];
}

function operationEntry(contract: ContractDocument, document: OperationDocument): SearchEntry {
  const operation = document.placed;
  const { operationId, key, address, summary, description = '', access, accessNote } = operation;
  // Words that almost every operation has, such as JSON, a status or a key, would hide the guides.
  const mediaTypes = mediaTypesOf(operation).filter((name) => name !== 'application/json');
  return {
    address,
    title: `${summary} (${operationId})`,
    kind: 'Operations',
    group: [key, ...marksOf(operation)].join(' · '),
    keywords: [operationId, key, ...mediaTypes, access === 'public' ? access : ''].join(' '),
    text: oneLine(`${accessNote} ${description}`),
    // Its parameters, fields and headers.
    code: oneLine(operationParts(contract, document).details),
  };
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

/** The text without formatting. An asterisk in backticks is not formatting: `If-Match: *`. */
function oneLine(text: string): string {
  return text
    .replaceAll(/`([^`]*)`|\*/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
