import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { contractDocument } from '../contract/generated.ts';
import { type Heading, renderMarkdown } from './markdown.ts';
import { escapeHtml, link, relativeUrl } from './markup.ts';
import { clientGuidePath, guides, siteSettings } from './site-settings.ts';
import type { SiteFile } from './write-site.ts';

type Page = {
  /** The path below the site's root, such as `guides/keys.html`. */
  path: string;
  title: string;
  /** One sentence, for search engines. */
  description: string;
  /** The link of the header that leads to the section of the page. */
  section?: 'Guides' | 'Reference' | 'Errors' | 'Changelog';
  /** HTML of everything below the header. Its main element has the ID `content`. */
  body: string;
};

const sections: Partial<Record<NonNullable<Page['section']>, string>> = {
  ...(guides.length === 0 ? {} : { Guides: `guides/${guides[0]}.html` }),
  Reference: 'operations/index.html',
  Errors: 'errors.html',
  Changelog: 'changelog.html',
};

const { name, logo } = siteSettings;
const { contact, termsOfService, version } = contractDocument().info;

/** A page of the site: the header and the footer around a body. */
export function sitePage({ path, title, description, section, body }: Page): SiteFile {
  const to = (target: string) => relativeUrl(path, target);
  const links = Object.entries(sections).map(([item, target]) =>
    link(to(target), item, item === section ? ' aria-current="true"' : ''),
  );
  const footer = [
    link(to('operations/index.html'), 'API reference'),
    link(to('../openapi.yaml'), 'openapi.yaml'),
    ...(clientGuidePath === '' ? [] : [link(to(clientGuidePath), 'TypeScript client')]),
    ...(contact.url === undefined ? [] : [link(contact.url, 'Contact')]),
    ...(termsOfService === undefined ? [] : [link(termsOfService, 'Terms')]),
    `<span>Version ${escapeHtml(String(version))}</span>`,
  ];
  const content = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · ${escapeHtml(name)}</title>
<meta name="description" content="${escapeHtml(description)}">
<link rel="icon" href="${favicon}">
<link rel="stylesheet" href="${to('assets/site.css')}">
<script type="module" src="${to('assets/site.js')}"></script>
</head>
<body>
<a class="site-skip" href="#content">Skip to the content</a>
<header class="site-header">
<a class="site-brand" href="${to('index.html')}">${brand}<span>${escapeHtml(name)}</span></a>
<nav aria-label="Sections">${links.join('')}</nav>
<button class="site-search-open" type="button" aria-keyshortcuts="/">Search <kbd aria-hidden="true">/</kbd></button>
</header>
${body}
<footer class="site-footer">
<nav aria-label="Footer">${footer.join('')}</nav>
</footer>
<dialog class="site-search" aria-label="Search the docs">
<form role="search"><input type="search" placeholder="Search the docs" aria-label="Search the docs" autocomplete="off" spellcheck="false"></form>
<p role="status"></p>
<ul></ul>
</dialog>
</body>
</html>
`;
  return { path, content };
}

type MarkdownPage = Omit<Page, 'body'> & {
  markdown: string;
  /** HTML next to the text: the menu of the section. */
  menu?: string;
  /** The levels of the headings under "On this page". */
  levels?: readonly number[];
};

/** A page that shows Markdown, and the Markdown at the same URL with the ending .md. */
export function markdownPage({ markdown, menu, levels = [2, 3], ...page }: MarkdownPage): SiteFile[] {
  const { html, headings } = renderMarkdown(markdown);
  const body = `<div class="guide${menu === undefined ? ' is-alone' : ''}">
${menu ?? ''}
<main id="content" class="guide-main" tabindex="-1">${markdownLink(page.path)}<article class="prose">
${html}</article></main>
${tableOfContents(headings.filter(({ level }) => levels.includes(level)))}
</div>`;
  return [sitePage({ ...page, body }), { path: page.path.replace(/html$/, 'md'), content: markdown }];
}

export function markdownLink(path: string): string {
  const [file = ''] = path.split('/').slice(-1);
  return `<p class="guide-source">${link(file.replace(/html$/, 'md'), 'View as Markdown')}</p>`;
}

function tableOfContents(headings: readonly Heading[]): string {
  const entries = headings.map(({ level, id, title }) => `<li class="level-${level}">${link(`#${id}`, title)}</li>`);
  if (entries.length === 0) return '';
  return `<nav class="toc" aria-labelledby="toc-title"><h2 id="toc-title">On this page</h2><ul>${entries.join('')}</ul></nav>`;
}

/** The menu of a section: open on a wide screen, folded on a phone, where the text comes first. */
export function menu(label: string, current: string, html: string): string {
  return `<nav class="guide-menu" aria-label="${label}">${html}</nav>
<details class="guide-menu-folded"><summary>${label}: <strong>${escapeHtml(current)}</strong></summary>
<nav aria-label="${label}, folded">${html}</nav></details>`;
}

const brand = `<svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true"><g fill="currentColor">${logo}</g></svg>`;

const favicon = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32' fill='#12805c'>${logo}</svg>`,
)}`;

/** The style sheet and the script of every page. */
export function assets(): SiteFile[] {
  const { outputFiles } = buildSync({
    entryPoints: {
      'site.css': join(import.meta.dirname, 'style/all.css'),
      // Without its ending, which is .js in the built package.
      'site.js': join(import.meta.dirname, 'browser/site'),
    },
    outdir: 'assets',
    bundle: true,
    minify: true,
    write: false,
    charset: 'utf8',
    format: 'esm',
    target: ['es2022', 'chrome120', 'firefox121', 'safari17'],
    legalComments: 'none',
  });
  return outputFiles.map(({ path, text }) => ({
    path: `assets/site${path.endsWith('.css') ? '.css' : '.js'}`,
    content: text,
  }));
}
