import { create } from './create.ts';

/** The data in site.json about the server that served the page; empty on a static host. */
export type Served = {
  /** Base URL of the API; undefined on a host that only has the files. */
  server: string | undefined;
  /** The operator's links by label: support, status, terms. */
  links: [label: string, url: string][];
};

const labels = { supportUrl: 'Support', statusUrl: 'Status', termsUrl: 'Terms' };

/** @param url the URL of site.json */
export async function loadServed(url: string): Promise<Served | undefined> {
  try {
    const response = await fetch(url);
    if (!response.ok) return undefined;
    const settings: Record<string, unknown> = await response.json();
    const text = (name: string) => (typeof settings[name] === 'string' ? settings[name] : undefined);
    return {
      server: text('baseUrl'),
      links: Object.entries(labels).flatMap(([name, label]) => {
        const target = text(name);
        return target === undefined ? [] : [[label, target]];
      }),
    };
  } catch {
    return undefined;
  }
}

/** Fills the operator's links into the footer. */
export function showLinks(place: HTMLElement, { links }: Served): void {
  place.append(...links.map(([label, url]) => create('a', { href: url }, label)));
}

/** Puts a value into every sample: the server's base URL, or the reader's key. An empty one brings the placeholder back. */
export function fill(page: Document, name: 'base-url' | 'key', value: string): void {
  for (const span of page.querySelectorAll<HTMLElement>(`[data-fill="${name}"]`)) {
    span.dataset['placeholder'] ??= span.textContent ?? '';
    span.textContent = value || span.dataset['placeholder'];
  }
}
