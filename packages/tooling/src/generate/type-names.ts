import { reservedWords } from '../contract/method-names.ts';

/** Names in the generated types that are not those of schemas, and names that TypeScript does not allow. */
const taken = new Set([
  ...['components', 'operations', 'paths', 'webhooks', 'any', 'bigint', 'boolean', 'never', 'number', 'object'],
  ...['string', 'symbol', 'undefined', 'unknown'],
  ...reservedWords,
]);

/** The name of a component in TypeScript: its own if that is possible, otherwise its words joined, `LinksSelf` for `Links-Self`. */
export function typeName(name: string): string {
  if (/^[A-Za-z_$][\w$]*$/.test(name) && !taken.has(name)) return name;
  const words = name.split(/[^A-Za-z0-9]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const joined = words.join('');
  return /^[A-Za-z]/.test(joined) ? joined : `Schema${joined}`;
}
