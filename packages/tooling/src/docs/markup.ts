import { posix } from 'node:path';

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes a text for HTML, in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** A link; its text is escaped. */
export function link(href: string, text: string, attributes = ''): string {
  return `<a href="${escapeHtml(href)}"${attributes}>${escapeHtml(text)}</a>`;
}

/** The relative URL from one file of the site to another. Both are paths below the site's root. */
export function relativeUrl(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}

/**
 * Panels of which a page shows one at a time. The tabs are radio buttons, so that they work without JavaScript.
 * @param name of the group, unique on the page
 */
export function tabs(label: string, name: string, panels: readonly (readonly [title: string, html: string])[]): string {
  const parts = panels.map(
    ([title, html], index) =>
      `<label><input type="radio" name="${name}"${index === 0 ? ' checked' : ''}>${escapeHtml(title)}</label><div>${html}</div>`,
  );
  return `<fieldset class="tabs"><legend>${label}</legend>${parts.join('\n')}</fieldset>\n`;
}
