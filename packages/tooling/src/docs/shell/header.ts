import { project } from '../../project.ts';
import { relativeAddress } from './address.ts';
import { asset } from './assets.ts';
import { magnifier, moon, paw, sun } from './icons.ts';

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
<a class="site-brand" href="${to('index.html')}">${paw}<span>${project.title}</span></a>
<nav class="site-nav" aria-label="Sections">${links.join('')}</nav>
<button class="site-search-open" type="button" aria-haspopup="dialog" aria-keyshortcuts="/ Control+K" data-module="${to(asset('search').path)}" data-index="${to(searchIndexPath)}" data-root="${rootAddress(path)}">${magnifier}<span>Search</span><kbd aria-hidden="true">/</kbd></button>
<button class="site-colours" type="button" aria-label="Dark mode" aria-pressed="false">${sun}${moon}</button>
</header>`;
}

/** The footer of every page. The browser adds the operator's links, which come from the server. */
export function siteFooter(path: string): string {
  const to = (target: string) => relativeAddress(path, target);
  return `<footer class="site-footer">
<nav aria-label="Footer"><a href="${to('operations/index.html')}">API reference</a><a href="${to('errors.html')}">Error codes</a><a href="${to('changelog.html')}">Changelog</a><a href="${to('openapi.yaml')}">openapi.yaml</a><span class="site-footer-links" data-root="${rootAddress(path)}"></span></nav>
</footer>`;
}

/** The relative path from a page to the site's root, which prefixes the URLs in the search index: `../` or empty. */
function rootAddress(path: string): string {
  return '../'.repeat(path.split('/').length - 1);
}
