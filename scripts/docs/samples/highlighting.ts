/**
 * The style attributes that Redoc gives to the words of a sample when it colours them, from the page's own scripts:
 * `color: var(--code-block-tokens-string-color)`, and so on. A policy that knows none of them leaves samples grey.
 */
export function highlightingStyles(page: string): string[] {
  const properties = [...page.matchAll(/[`'"](--code-block-tokens-[\w-]+)[`'"]/g)].map(([, property]) => property);
  if (properties.length === 0) throw new Error('Redoc colours samples in another way now: see highlightingStyles.');
  return [...new Set(properties)].map((property) => `color: var(${property})`);
}
