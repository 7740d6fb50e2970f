import { STATUS_CODES } from 'node:http';
import type { ContractDocument } from '../../contract/document.ts';
import type { Guide } from '../guides.ts';
import { renderMarkdown } from '../markdown.ts';
import { operationDocuments } from '../operations/documented.ts';
import { operationParts } from '../operations/markdown.ts';
import { marksOf } from '../operations/placed.ts';
import type { SearchEntry } from './find.ts';

const otherPages = [
  ['operations/index.html', 'API reference', 'A list of all operations and endpoints, each with a page.'],
  ['errors.html', 'Error codes', 'A list of error codes, with their causes and what to do about them.'],
  ['changelog.html', 'Changelog', 'The changes in each release.'],
] as const;

/** All entries of the search. Guides answer questions, so they come before operations and errors with the same words. */
export function searchEntries(contract: ContractDocument, guides: readonly Guide[]): SearchEntry[] {
  return [
    ...guides.flatMap(guideEntries),
    ...operationEntries(contract),
    ...errorEntries(contract),
    ...otherPages.map(([url, title, text]) => ({ url, title, group: '', keywords: '', text, boost: 1 })),
  ];
}

/** One entry for each section of a guide: a reader wants the section, not the page. */
function guideEntries({ name, title, markdown }: Guide): SearchEntry[] {
  const url = `guides/${name}.html`;
  const boost = name === 'client-reference' ? 0.6 : 2.5;
  return renderMarkdown(markdown).headings.map(({ level, id, title: heading, text }) => ({
    url: level === 1 ? url : `${url}#${id}`,
    title: heading,
    group: level === 1 ? '' : title,
    keywords: '',
    text,
    boost: level === 1 ? boost * 1.3 : boost,
  }));
}

function operationEntries(contract: ContractDocument): SearchEntry[] {
  return operationDocuments(contract).map((operation) => {
    const { id, placed } = operation;
    return {
      url: `operations/${id}.html`,
      title: `${placed.summary} (${id})`,
      group: [placed.key, ...marksOf(placed)].join(' · '),
      keywords: `${id} ${id.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')}`,
      text: plain(`${placed.description ?? ''} ${operationParts(contract, operation).details}`),
      boost: 1,
    };
  });
}

function errorEntries({ components: { schemas } }: ContractDocument): SearchEntry[] {
  return Object.entries(schemas.ErrorCode['x-codes']).map(([code, { status, cause, action }]) => ({
    url: `errors.html#${code}`,
    title: code,
    group: `Error ${status} ${STATUS_CODES[status] ?? ''}`,
    keywords: '',
    text: plain(`${cause} ${action}`),
    boost: 1,
  }));
}

/** Markdown without its formatting. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)|[`*#|]/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
