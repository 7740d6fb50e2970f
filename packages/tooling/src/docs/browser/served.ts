import { create } from './create.ts';

/** The data in site.json about the server that served the page; empty on a static host. */
export type Served = {
  /** Base URL of the API; undefined on a host that only has the files. */
  server: string | undefined;
  /** The operator's links by label: support, status, terms. */
  links: [label: string, url: string][];
  /** Whether this server gives a key to docs that were opened from the URL it printed. */
  hasDevelopmentKey: boolean;
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
      server: text('baseUrl') ?? serviceOf(response.headers.get('link'), url),
      links: Object.entries(labels).flatMap(([name, label]) => {
        const target = text(name);
        return target === undefined ? [] : [[label, target]];
      }),
      hasDevelopmentKey: settings['hasDevelopmentKey'] === true,
    };
  } catch {
    return undefined;
  }
}

/** `</v1>; rel="service"` as a URL without a slash at its end. */
function serviceOf(link: string | null, base: string): string | undefined {
  const target = /<([^>]*)>;\s*rel="?service"?/.exec(link ?? '')?.[1];
  return target === undefined ? undefined : new URL(target, base).href.replace(/\/$/, '');
}

const storageKey = 'docs-token';

/**
 * The token in the URL of the docs that the server printed at its start, with which this tab gets the development key. Moves it
 * from the URL to the storage of the tab, so that readers do not share it with a link.
 */
export function takeDocsToken(): string | undefined {
  const [, token] = /^#token=([\w-]+)$/.exec(location.hash) ?? [];
  try {
    if (token !== undefined) {
      sessionStorage.setItem(storageKey, token);
      history.replaceState(history.state, '', location.pathname + location.search);
    }
    return sessionStorage.getItem(storageKey) ?? undefined;
  } catch {
    // Without storage, only the page that was opened with the token has it.
    return token;
  }
}

/** The development key of this server, or undefined if it cannot be loaded. Forgets a token that the server no longer accepts. */
export async function loadDevelopmentKey(url: string, token: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { headers: { 'Docs-Token': token } });
    if (response.status === 404) sessionStorage.removeItem(storageKey);
    const body: unknown = await response.json();
    return response.ok && typeof body === 'object' && body !== null && 'key' in body ? String(body.key) : undefined;
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
