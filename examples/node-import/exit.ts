/** What the exit code says. Those who are interrupted end with 128 and the number of the signal, as is usual. */
export const exitCodes = {
  /** Every row of the file is in the store. */
  done: 0,
  /** Some rows are not; each was named with its line. */
  rowsLeft: 1,
  /** Nothing was begun: the arguments, the key, the file or its journal cannot be used. */
  notBegun: 2,
  /** Given up in the middle: the key is refused, or nobody answers. */
  stopped: 3,
} as const;

/** The import cannot begin, or go on. The message says why and what to do, in whole sentences. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
  readonly exitCode: number;

  constructor(kind: 'notBegun' | 'stopped', message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCodes[kind];
  }
}

/** What an error of Node says of itself: `ENOENT`, ...; undefined for any other. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
