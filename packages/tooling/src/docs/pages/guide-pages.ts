import type { ContractDocument } from '../../contract/document.ts';
import type { Guide } from '../guides/read-guides.ts';
import { type Heading, type RenderedMarkdown, renderMarkdown } from '../markdown/render.ts';
import { shownServerOf } from '../samples/request.ts';
import { escapeHtml, markdownLine } from '../shell/markup.ts';
import { sitePage } from '../shell/site-page.ts';
import type { SiteFile } from '../site-file.ts';

/** Each guide as a page, with the menu of all of them, and as Markdown. */
export function guidePages(guides: readonly Guide[], contract: ContractDocument): SiteFile[] {
  return guides.flatMap((guide) => [
    guidePage(guides, guide, renderMarkdown(guide.markdown, shownServerOf(contract), true)),
    { path: `guides/${guide.name}.md`, content: guide.markdown },
  ]);
}

function guidePage(guides: readonly Guide[], guide: Guide, { html, headings }: RenderedMarkdown): SiteFile {
  const { name } = guide;
  return sitePage({
    path: `guides/${name}.html`,
    title: guide.title,
    description: guide.description,
    section: 'guides',
    head: `<link rel="alternate" type="text/markdown" href="${name}.md">\n`,
    body: `<div class="guide">
${menu(guides, guide)}
<main id="content" class="guide-main">${markdownLine(`${name}.md`)}<article class="prose">
${html}</article>
</main>
${tableOfContents(headings.filter(isInContents))}
</div>`,
  });
}

function isInContents({ level }: Heading): boolean {
  return level === 2 || level === 3;
}

/** Open on a wide screen, folded on a phone, where the text comes first. */
function menu(guides: readonly Guide[], current: Guide): string {
  const groups = [...new Set(guides.map(({ group }) => group))].map((group) => {
    const links = guides.filter((guide) => guide.group === group).map((guide) => menuEntry(guide, guide === current));
    return `<h2>${escapeHtml(group)}</h2><ul>${links.join('')}</ul>`;
  });
  return `<nav class="guide-menu" aria-label="Guides">${groups.join('')}</nav>
<details class="guide-menu-folded"><summary>Guides: <strong>${escapeHtml(current.title)}</strong></summary>
<nav aria-label="All guides">${groups.join('')}</nav></details>`;
}

function menuEntry({ name, title }: Guide, isCurrent: boolean): string {
  return `<li><a href="${name}.html"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`;
}

/** "On this page", next to the text if there is space. */
export function tableOfContents(headings: readonly Heading[]): string {
  const entries = headings.map(
    ({ level, id, title }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(title)}</a></li>`,
  );
  if (entries.length === 0) return '';
  return `<nav class="toc" aria-labelledby="toc-title"><h2 id="toc-title">On this page</h2><ul>${entries.join('')}</ul></nav>`;
}
