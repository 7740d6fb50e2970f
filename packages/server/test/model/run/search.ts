import fc from 'fast-check';
import { anySequence, type Choice, sequenceOf } from './random.ts';

/** The outcome of a sequence. It has failed if it has problems. */
export type Outcome<Step> = {
  problems: string[];
  /** The steps up to the one that failed, without those that had nothing to do. */
  done: readonly Step[];
};

export type SearchOptions = {
  /** The number of sequences. */
  runs: number;
  seed: number;
  /** The number of the first sequence. Default: 1. */
  first?: number;
  /** The maximum number of sequences to try while shrinking a failing one. Default: 500. */
  maxShrinkRuns?: number;
  /** Ends the search after the current sequence. */
  isOver?: () => boolean;
};

/** Runs random sequences until one fails, and shrinks that one. `runs` is the number of sequences that were run. */
export async function search<Step, Result extends Outcome<Step>>(
  choices: readonly Choice<Step>[],
  play: (steps: readonly Step[], run: number) => Promise<Result>,
  { runs, seed, first = 1, maxShrinkRuns = 500, isOver = () => false }: SearchOptions,
): Promise<{ runs: number; failure: { run: number; smallest: Result } | undefined }> {
  for (let run = first; run < first + runs && !isOver(); run += 1) {
    const result = await play(sequenceOf(choices, seed, run), run);
    if (result.problems.length === 0) continue;
    const replay = (steps: readonly Step[]) => play(steps, run);
    return { runs: run - first + 1, failure: { run, smallest: await shrunk(choices, replay, result, maxShrinkRuns) } };
  }
  return { runs, failure: undefined };
}

/** The smallest failing sequence that fast-check finds, starting from the steps up to the one that failed. */
async function shrunk<Step, Result extends Outcome<Step>>(
  choices: readonly Choice<Step>[],
  play: (steps: readonly Step[]) => Promise<Result>,
  failing: Result,
  maxShrinkRuns: number,
): Promise<Result> {
  let smallest = failing;
  let tries = 0;
  const property = fc.asyncProperty(anySequence(choices), async (steps) => {
    tries += 1;
    // After the maximum, every sequence counts as passing, so that fast-check ends.
    if (tries > maxShrinkRuns) return true;
    const result = await play(steps);
    if (result.problems.length > 0) smallest = result;
    return result.problems.length === 0;
  });
  await fc.check(property, { examples: [[[...failing.done]]], numRuns: 1 });
  return smallest;
}
