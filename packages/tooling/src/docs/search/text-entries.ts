import { renderMarkdown } from '../markdown/render.ts';
import type { EntryKind, SearchEntry } from './entry.ts';

/**
 * One entry for each section of a page: a reader wants the section, not the page. Sections about error codes have their
 * own entries.
 */
export function sectionEntries(page: string, title: string, markdown: string, kind: EntryKind): SearchEntry[] {
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
