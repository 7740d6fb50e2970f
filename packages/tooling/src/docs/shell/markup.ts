import { posix } from 'node:path';

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes a text for HTML, in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

/**
 * The relative URL from one file of the site to another, so that the site works in any folder of any host. Both are paths
 * below the site's root; the target may have a fragment.
 */
export function relativeAddress(from: string, to: string): string {
  const [path = '', ...fragment] = to.split('#');
  const address = path === from && fragment.length > 0 ? '' : posix.relative(posix.dirname(from), path);
  return [address, ...fragment].join('#');
}

/** The line at the top of a page that leads to its Markdown. */
export function markdownLine(address: string): string {
  return `<p class="guide-source is-top"><a href="${address}">View as Markdown</a></p>`;
}
