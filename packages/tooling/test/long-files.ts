import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../src/project.ts';

/**
 * The files whose tests take longest, the longest first, as scripts/long-tests.txt lists them. `npm test` leaves them out, so that it
 * takes less than five minutes.
 */
export const longFiles: readonly string[] = readFileSync(join(root, 'scripts/long-tests.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '');

export function isLongFile(path: string): boolean {
  return longFilePlace(path) < longFiles.length;
}

/** The place of a file in `longFiles`. Every other file has the same place, behind them. */
export function longFilePlace(path: string): number {
  const index = longFiles.indexOf(relative(root, path).replaceAll('\\', '/'));
  return index < 0 ? longFiles.length : index;
}
