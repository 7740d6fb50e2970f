/**
 * The style attributes with which Redoc colours samples, such as `color: var(--code-block-tokens-string-color)`, taken
 * from the page's own scripts. If the policy does not allow them, samples stay grey.
 */
export function highlightingStyles(page: string): string[] {
  const properties = [...page.matchAll(/[`'"](--code-block-tokens-[\w-]+)[`'"]/g)].map(([, property]) => property);
  if (properties.length === 0) throw new Error('Redoc colours samples in another way. Adapt highlightingStyles.');
  return [...new Set(properties)].map((property) => `color: var(${property})`);
}
