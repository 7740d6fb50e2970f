/** JSON pointers in URI fragments (RFC 6901, section 6), as Redocly prints them: `#/paths/~1pets/get`. */

export function toPointer(keys: readonly (string | number)[]): string {
  return ['#', ...keys.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');
}

export function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}
