/** The exit codes. An interrupted process exits with 128 plus the number of the signal, as usual. */
export const exitCodes = {
  /** Every row of the file is in the store. */
  done: 0,
  /** Some rows are not in the store. Each was reported with its line. */
  rowsLeft: 1,
  /** The import did not begin: the arguments, the key, the file or its journal cannot be used. */
  notBegun: 2,
  /** The import stopped: the key was refused, or the API does not respond. */
  stopped: 3,
} as const;

/** The import cannot begin or continue. The message says why and what to do, in whole sentences. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
  readonly exitCode: number;

  constructor(kind: 'notBegun' | 'stopped', message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCodes[kind];
  }
}

/** The code of an error of Node.js, such as `ENOENT`; undefined for any other error. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
