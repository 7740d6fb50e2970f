/** Reading JSON of any shape, such as a contract that may be broken. */

/** The value at the end of a path of keys; undefined if there is none. */
export function dig(node: unknown, ...path: string[]): unknown {
  return path.reduce((current, key) => (isRecord(current) ? current[key] : undefined), node);
}

/** The keys of a JSON pointer in a URI fragment (RFC 6901, section 6), as Redocly prints it: `#/paths/~1notes/get`. */
export function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function toPointer(keys: readonly (string | number)[]): string {
  return ['#', ...keys.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');
}

/** The entries of an object; none for anything else. */
export function entriesOf(node: unknown): [string, unknown][] {
  return isRecord(node) ? Object.entries(node) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The items of a list; none for anything else. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
