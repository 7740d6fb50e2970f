import { renderMarkdown } from '../markdown/render.ts';
import { tableOfContents } from '../pages/guide-pages.ts';
import { markdownLine } from '../shell/markup.ts';
import { sitePage } from '../shell/site-page.ts';
import type { SiteFile } from '../site-file.ts';

/** The changelog as a page, and as Markdown. */
export function changelogPage(changelog: string): [page: SiteFile, markdown: SiteFile] {
  const { html, headings } = renderMarkdown(changelog);
  const page = sitePage({
    path: 'changelog.html',
    title: headings[0]?.title ?? '',
    description: 'The changes in each release of the API.',
    section: 'changelog',
    head: '<link rel="alternate" type="text/markdown" href="changelog.md">\n',
    body: `<div class="guide is-alone">
<main id="content" class="guide-main">${markdownLine('changelog.md')}<article class="prose changelog">
${html}</article></main>
${tableOfContents(headings.filter(({ level }) => level === 2))}
</div>`,
  });
  return [page, { path: 'changelog.md', content: changelog }];
}
