import type { Heading } from '../markdown/headings.ts';
import { escapeHtml } from '../shell/markup.ts';

/** "On this page", next to the text if there is space. */
export function tableOfContents(headings: readonly Heading[]): string {
  const entries = headings.map(
    ({ level, id, title }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(title)}</a></li>`,
  );
  if (entries.length === 0) return '';
  return `<nav class="toc" aria-labelledby="toc-title"><h2 id="toc-title">On this page</h2><ul>${entries.join('')}</ul></nav>`;
}
