import { posix } from 'node:path';
import { withHash } from '../shell/assets.ts';
import { hashSources, type PolicySources } from '../shell/policy.ts';
import type { SiteFile } from '../site-file.ts';

const script = /<script\b([^>]*)>([\s\S]*?)<\/script>/g;
/** The two parts of Redoc's module script: the program, and the contract with the call that renders it. */
const twoParts =
  /^([\s\S]*?const\{RedocStandalone,hydrate,init\}=[\s\S]*?)(?=\s*const __redoc_definition = )([\s\S]*)$/;

/**
 * Redoc's HTML with its script in two files: the program, which all versions of the reference share, and the contract.
 * Browsers cache both, and the page itself is small.
 */
export function withScriptFiles(
  html: string,
  addressOf: (path: string) => string,
): { html: string; files: SiteFile[] } {
  const files: SiteFile[] = [];
  const replaced = html.replaceAll(script, (whole, attributes: string, text: string) => {
    if (!attributes.includes('type="module"')) return whole;
    const [, program, page] = twoParts.exec(text) ?? [];
    if (program === undefined || page === undefined)
      throw new Error("Redoc's script has another structure. Adapt twoParts.");
    const shared = hashed('assets/redoc.js', program);
    const own = hashed(
      'assets/reference.js',
      `import { hydrate } from './${posix.basename(shared.path)}';\n${page.trim()}\n`,
    );
    files.push(shared, own);
    const preload = `<link rel="modulepreload" href="${addressOf(shared.path)}">`;
    return `${preload}<script${attributes} src="${addressOf(own.path)}"></script>`;
  });
  if (files.length === 0) throw new Error('Redoc no longer has a module script. Adapt withScriptFiles.');
  return { html: replaced, files };
}

function hashed(path: string, content: string): SiteFile {
  return { path: withHash(path, content), content };
}

/**
 * The hashes that a policy must allow for the inline scripts and styles of Redoc's HTML.
 * @param laterStyles style attributes that its scripts add later
 */
export function inlineSources(html: string, laterStyles: readonly string[]): PolicySources {
  const scripts = [...html.matchAll(script)].map(([, , text]) => text ?? '').filter((text) => text !== '');
  // Scripts also contain markup, which the browser treats as text.
  const markup = html.replaceAll(script, '');
  const styles = [...markup.matchAll(/<style\b[^>]*>([\s\S]*?)<\/style>/g)].map(([, style]) => style ?? '');
  const attributes = [...markup.matchAll(/ style="([^"]*)"/g)].map(([, style]) => style ?? '');
  return {
    'script-src': hashSources(scripts),
    // The hash of an empty text, because styled-components fills its empty style element through the CSSOM.
    'style-src-elem': hashSources([...styles, '']),
    'style-src-attr': ["'unsafe-hashes'", ...hashSources([...attributes, ...laterStyles])],
    'font-src': ['data:'],
  };
}

/**
 * The style attributes with which Redoc colours samples, such as `color: var(--code-block-tokens-string-color)`, taken
 * from the page's own scripts. If the policy does not allow them, samples stay grey.
 */
export function highlightingStyles(page: string): string[] {
  const properties = [...page.matchAll(/[`'"](--code-block-tokens-[\w-]+)[`'"]/g)].map(([, property]) => property);
  if (properties.length === 0) throw new Error('Redoc colours samples in another way. Adapt highlightingStyles.');
  return [...new Set(properties)].map((property) => `color: var(${property})`);
}
