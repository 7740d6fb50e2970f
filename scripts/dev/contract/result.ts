/** What became of a saved contract, as it is told piece by piece. */
export type Result =
  /** The findings, one line each; none when the contract is sound. */
  | { kind: 'lint'; findings: string[] }
  /** The generated files that were written, seen from the project's folder. */
  | { kind: 'types'; written: string[] }
  | { kind: 'docs'; isNew: boolean }
  /** Why what should follow does not. */
  | { kind: 'failed'; what: Half | 'docs'; reason: string };

/** The two halves of what follows from the contract: `types` are the generated files, and the docs page after them. */
export type Half = 'lint' | 'types';

export type Report = (result: Result) => void;
