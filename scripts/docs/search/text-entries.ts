import type { Guide } from '../guides/guide.ts';
import type { Heading } from '../markdown/headings.ts';
import { renderMarkdown } from '../markdown/render.ts';
import type { SearchEntry } from './entry.ts';

/** An entry for each section of a guide: a reader wants the place, not the page. */
export function guideEntries({ name, title, markdown }: Guide): SearchEntry[] {
  return sections(`guides/${name}.html`, title, markdown);
}

export function changelogEntries(changelog: string): SearchEntry[] {
  return sections('changelog.html', 'Changelog', changelog);
}

function sections(page: string, group: string, markdown: string): SearchEntry[] {
  return renderMarkdown(markdown).headings.map((heading) => ({
    id: addressOf(page, heading),
    address: addressOf(page, heading),
    title: heading.title,
    group: heading.level === 1 ? 'Guide' : group,
    // What a heading is about stands in the title of its page, too.
    keywords: heading.level === 1 ? '' : group,
    text: heading.text,
    code: heading.code,
  }));
}

function addressOf(page: string, { level, id }: Heading): string {
  return level === 1 ? page : `${page}#${id}`;
}
