import { hash } from 'node:crypto';
import fc, { type Arbitrary } from 'fast-check';

/** A kind of step, with its frequency relative to the other kinds. */
export type Choice<Step> = { name: string; weight: number; steps: Arbitrary<Step> };

export function choice<Step>(name: string, weight: number, steps: Arbitrary<Step>): Choice<Step> {
  return { name, weight, steps };
}

const MAX_LENGTH = 40;

/**
 * A random sequence of steps. Each kind of step has its own random numbers, so a new kind replaces some steps by its own, and
 * changes no other step of any sequence.
 */
export function sequenceOf<Step>(choices: readonly Choice<Step>[], seed: number, run: number): Step[] {
  const length = 1 + (random(seed, run, 'length') % MAX_LENGTH);
  return Array.from({ length }, (_, index) => {
    const { name, steps } = chosen(choices, (kind) => random(seed, run, `${index} choose ${kind}`));
    return sampleOf(steps, random(seed, run, `${index} ${name}`));
  });
}

/** Any sequence, for fast-check to shrink one. */
export function anySequence<Step>(choices: readonly Choice<Step>[]): Arbitrary<Step[]> {
  const step = fc.oneof(...choices.map(({ steps }) => steps));
  return fc.array(step, { minLength: 1, maxLength: MAX_LENGTH, size: 'max' });
}

/**
 * The kind that comes first if each one comes after a random time, on average 1 divided by its weight: the probability of each
 * is proportional to its weight, and the times of the others do not depend on a new one.
 */
function chosen<Step>(choices: readonly Choice<Step>[], randomOf: (kind: string) => number): Choice<Step> {
  const times = choices.map((choice) => ({
    choice,
    time: -Math.log((randomOf(choice.name) + 1) / 2 ** 32) / choice.weight,
  }));
  const [first, ...others] = times;
  if (first === undefined) throw new Error('There is no kind of step.');
  return others.reduce((earliest, other) => (other.time < earliest.time ? other : earliest), first).choice;
}

/** A number below 2^32 that depends on all parameters. */
function random(seed: number, run: number, name: string): number {
  return hash('sha256', `${seed} ${run} ${name}`, 'buffer').readUInt32BE();
}

function sampleOf<Step>(steps: Arbitrary<Step>, seed: number): Step {
  for (const step of fc.sample(steps, { seed: seed | 0, numRuns: 1 })) return step;
  throw new Error('fast-check gave no sample.');
}
