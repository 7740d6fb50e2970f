/** The steps of a JSON pointer (RFC 6901), without what stands before its first slash: `body/tags/0` is `tags`, `0`. */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A name as a step of a JSON pointer. */
export function pointerStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
