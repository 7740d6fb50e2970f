import { keyPage } from '@contract-first/service/manifest';
import { needsKeys } from '../../contract/document.ts';
import { contractDocument } from '../../contract/generated.ts';
import { clientGuidePath, siteSettings } from '../site-settings.ts';
import { asset } from './assets.ts';
import { escapeHtml, relativeAddress } from './markup.ts';

/** The sections of the site that the header links to. */
export type Section = 'guides' | 'reference' | 'errors' | 'changelog';

const navigation: { section: Section; title: string; path: string }[] = [
  { section: 'guides', title: 'Guides', path: 'guides/first-call.html' },
  { section: 'reference', title: 'Reference', path: 'operations/index.html' },
  { section: 'errors', title: 'Errors', path: 'errors.html' },
  { section: 'changelog', title: 'Changelog', path: 'changelog.html' },
];

/** The path of the search index, which the browser loads when a reader searches. */
export const searchIndexPath = 'assets/search-index.json';

/** The header of every page: name, sections, search, colours. */
export function siteHeader(path: string, current: Section | undefined): string {
  const to = (target: string) => relativeAddress(path, target);
  const links = navigation.map((item) => {
    const mark = item.section === current ? ' aria-current="true"' : '';
    return `<a href="${to(item.path)}"${mark}>${item.title}</a>`;
  });
  return `<a class="site-skip" href="#content">Skip to the content</a>
<header class="site-header">
<a class="site-brand" href="${to('index.html')}">${logo}<span>${escapeHtml(siteSettings.name)}</span></a>
<nav class="site-nav" aria-label="Sections">${links.join('')}</nav>
<button class="site-search-open" type="button" aria-haspopup="dialog" aria-keyshortcuts="/ Control+K" data-module="${to(asset('search').path)}" data-index="${to(searchIndexPath)}" data-root="${rootAddress(path)}">${magnifier}<span>Search</span><kbd aria-hidden="true">/</kbd></button>
<button class="site-colours" type="button" aria-label="Dark mode" aria-pressed="false">${sun}${moon}</button>
</header>`;
}

const hasKeys = needsKeys(contractDocument());

/** The footer of every page. The browser adds the operator's links, which come from the server. */
export function siteFooter(path: string): string {
  const to = (target: string) => relativeAddress(path, target);
  return `<footer class="site-footer">
<nav aria-label="Footer"><a href="${to('operations/index.html')}">API reference</a><a href="${to('errors.html')}">Error codes</a><a href="${to('changelog.html')}">Changelog</a><a href="${to('openapi.yaml')}">openapi.yaml</a><a href="${to(clientGuidePath)}">TypeScript client</a>${hasKeys ? `<a href="${to(keyPage)}">Get an API key</a>` : ''}<span>${escapeHtml(siteSettings.version)}</span><span class="site-footer-links" data-root="${rootAddress(path)}"></span></nav>
</footer>`;
}

/** The relative path from a page to the site's root, which prefixes the URLs in the search index: `../` or empty. */
function rootAddress(path: string): string {
  return '../'.repeat(path.split('/').length - 1);
}

/** Icons are inline elements, which saves requests and gives them the colour of the text. */

function icon(viewBox: string, content: string): string {
  return `<svg width="24" height="24" viewBox="${viewBox}" aria-hidden="true" focusable="false">${content}</svg>`;
}

const { logo: shape } = siteSettings;

const logo = icon('0 0 32 32', `<g fill="currentColor">${shape}</g>`);

export const favicon = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32' fill='#12805c'>${shape}</svg>`,
)}`;

const magnifier = icon(
  '0 0 20 20',
  '<path d="M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM13 13l4 4" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round"/>',
);

const sun = icon(
  '0 0 20 20',
  '<g fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round"><circle cx="10" cy="10" r="3.4"/><path d="M10 2.2v1.6M10 16.2v1.6M2.2 10h1.6M16.2 10h1.6M4.5 4.5l1.1 1.1M14.4 14.4l1.1 1.1M4.5 15.5l1.1-1.1M14.4 5.6l1.1-1.1"/></g>',
);

const moon = icon(
  '0 0 20 20',
  '<path d="M16.5 11.8A7 7 0 0 1 8.2 3.5a7 7 0 1 0 8.3 8.3Z" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round"/>',
);
