import { statSync } from 'node:fs';

/** The time of the last write to a file (Unix milliseconds); 0 if it does not exist. */
export function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
