import { EventQueue } from './event-queue.ts';

/** Simulated time starts on a minute, in the middle of a day: 1 December 2026, noon UTC. */
const START = Date.UTC(2026, 11, 1, 12);

/** Simulated time, in milliseconds from the start, and what is to happen in it. */
export class World {
  readonly #queue = new EventQueue();
  #now = 0;

  get now(): number {
    return this.#now;
  }

  /** What a clock says at that time: whole Unix milliseconds. */
  clockAt(time: number): number {
    return START + Math.floor(time);
  }

  after(delay: number, run: () => void): void {
    this.#queue.plan(this.#now + delay, run);
  }

  /** Lets everything happen that is planned up to that time. */
  runUntil(time: number): void {
    while (this.#queue.nextAt <= time) {
      const event = this.#queue.take();
      if (event === undefined) break;
      this.#now = event.at;
      event.run();
    }
    this.#now = time;
  }
}
