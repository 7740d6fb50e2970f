import { randomUUID } from 'node:crypto';

/** The ID of a caller that no other test uses. */
export function newCaller(): string {
  return `key:${randomUUID()}`;
}

/** Chooses by a linear congruential generator, so that each run makes the same choices. */
export function chooser(seed: number): <T>(values: readonly T[]) => T {
  let state = seed;
  return (values) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const chosen = values[Math.floor((state / 2 ** 32) * values.length)];
    if (chosen === undefined) throw new Error('There is nothing to choose from.');
    return chosen;
  };
}
