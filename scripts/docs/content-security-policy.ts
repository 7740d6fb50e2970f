import { createHash } from 'node:crypto';

/**
 * The strictest policy that lets a page work which brings everything along: its own inline scripts and styles by their
 * hashes, pictures from data: addresses, and nothing from anywhere else.
 */
export function contentSecurityPolicy(page: string): string {
  const scripts = [...page.matchAll(/<script\b[^>]*>([\s\S]*?)<\/script>/g)].map(([, script]) => script ?? '');
  // The scripts hold markup too, which is text to the browser.
  const markup = page.replaceAll(/<script\b[^>]*>[\s\S]*?<\/script>/g, '');
  const styles = [...markup.matchAll(/<style\b[^>]*>([\s\S]*?)<\/style>/g)].map(([, style]) => style ?? '');
  const attributes = [...markup.matchAll(/ style="([^"]*)"/g)].map(([, style]) => style ?? '');
  return [
    "default-src 'none'",
    `script-src ${hashes(scripts)}`,
    // Styled components fill their style element, empty in the markup, through the CSSOM: hence the hash of nothing.
    `style-src-elem ${hashes([...styles, ''])}`,
    `style-src-attr 'unsafe-hashes' ${hashes(attributes)}`,
    'img-src data:',
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function hashes(texts: readonly string[]): string {
  const sources = texts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return [...new Set(sources)].join(' ');
}
