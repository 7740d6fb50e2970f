import { hash } from 'node:crypto';

/** Sources by directive, such as `{ 'script-src': ["'sha256-…'"] }`. */
export type PolicySources = Record<string, readonly string[]>;

/** The strictest policy that a page of the site needs: everything comes from its own host, and nothing is inline. */
const everyPage: PolicySources = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src-elem': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'connect-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
};

/** A Content-Security-Policy for a page's meta element, with the additional sources of the page. */
export function pagePolicy(additions: PolicySources = {}): string {
  const directives = new Set([...Object.keys(everyPage), ...Object.keys(additions)]);
  return [...directives]
    .map((name) => [name, ...new Set([...(everyPage[name] ?? []), ...(additions[name] ?? [])])].join(' '))
    .join('; ');
}

/** The same for a header, which can also forbid frames. */
export function headerPolicy(policy: string): string {
  return `${policy}; frame-ancestors 'none'`;
}

/** Allows only these inline scripts or styles. */
export function hashSources(texts: readonly string[]): string[] {
  return [...new Set(texts.map((text) => `'sha256-${hash('sha256', text, 'base64')}'`))];
}
