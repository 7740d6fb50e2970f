import { statSync } from 'node:fs';

/** When a file was last written (Unix milliseconds); 0 when there is none. */
export function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
