import { createRequire } from 'node:module';
import type { Test } from '@jest/reporters';
import { longFilePlace } from './long-files.ts';

// Its types describe only its CommonJS module.
const { default: Sequencer }: typeof import('@jest/test-sequencer') = createRequire(import.meta.url)(
  '@jest/test-sequencer',
);

/**
 * Starts the longest files first, so that none of them is still running when all others have ended. Jest itself sorts
 * them by the duration of the last run, which it does not know in a fresh clone.
 */
export default class LongestFirst extends Sequencer {
  override async sort(tests: Test[]): Promise<Test[]> {
    const sorted = await super.sort(tests);
    return sorted.some(({ duration }) => duration !== undefined) ? sorted : longestFirst(sorted);
  }
}

/** Puts the long files before all others, which keep their order. */
export function longestFirst<T extends { path: string }>(tests: readonly T[]): T[] {
  return tests.toSorted((one, other) => longFilePlace(one.path) - longFilePlace(other.path));
}
