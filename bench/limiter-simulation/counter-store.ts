import type { World } from './world.ts';

export type StoreParts = {
  world: World;
  random: () => number;
  /** Milliseconds to the store and back, on average, without waiting. */
  roundTrip: number;
  /** Milliseconds of the store's one core for an operation. */
  service: number;
  /** When the store is away, in milliseconds from the start. */
  away?: { from: number; to: number } | undefined;
};

/** One core that does one operation after the other, as Redis does, at the other end of a network. */
export class CounterStore {
  readonly #parts: StoreParts;
  #freeAt = 0;
  #operations = 0;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** How many operations it has done. */
  get operations(): number {
    return this.#operations;
  }

  /** The part of a time in which its core was at work. */
  busyIn(milliseconds: number): number {
    return Math.min(1, (this.#operations * this.#parts.service) / milliseconds);
  }

  /**
   * Sends an operation: it waits its turn there, then `work` is done, then its answer comes back.
   * Without `lost` a question to a store that is away has no answer; with it, `lost` is called at once.
   *
   * @param work gets the time at which it is done, in milliseconds from the start
   */
  ask<Answer>(work: (now: number) => Answer, answer: (answer: Answer) => void, lost?: () => void): void {
    const { world, service } = this.#parts;
    world.after(this.#oneWay(), () => {
      if (this.#isAway()) {
        lost?.();
        return;
      }
      const begin = Math.max(world.now, this.#freeAt);
      this.#freeAt = begin + service;
      this.#operations += 1;
      // In turn, so it may be done now: nobody sees it before its answer is there.
      const result = work(begin);
      world.after(this.#freeAt - world.now + this.#oneWay(), () => answer(result));
    });
  }

  #isAway(): boolean {
    const { away, world } = this.#parts;
    return away !== undefined && world.now >= away.from && world.now < away.to;
  }

  /** Four fifths of it always the same, and a tail. */
  #oneWay(): number {
    const { roundTrip, random } = this.#parts;
    return (roundTrip / 2) * (0.8 - 0.2 * Math.log(1 - random()));
  }
}
