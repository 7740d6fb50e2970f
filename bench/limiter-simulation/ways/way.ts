import { emptyUsage, type Usage } from '../../../packages/server/src/quota/usage.ts';
import type { CounterStore } from '../counter-store.ts';
import type { SimulatedKey } from '../keys.ts';
import type { World } from '../world.ts';

/** What became of a request, and when it was counted (milliseconds from the start). */
export type Decide = (isAllowed: boolean, countedAt: number) => void;

/** A way to count over many processes. */
export interface Way {
  /** A request of a key came to a process; `decide` is called once it is counted, now or later. */
  count: (process: number, key: SimulatedKey, decide: Decide) => void;
}

export type WayParts = {
  world: World;
  store: CounterStore;
  random: () => number;
  processes: number;
  /** Milliseconds between two times at which a process synchronises. */
  period: number;
  /** Size of a lease, as a part of the quota divided by the processes. */
  lease: number;
};

/** Where callers stand, as far as somebody knows: the store, or a process. */
export class Usages {
  readonly #world: World;
  readonly #usages = new Map<number, Usage>();

  constructor(world: World) {
    this.#world = world;
  }

  /** @param holder any number that stands for who knows it of whom */
  of(holder: number): Usage {
    const known = this.#usages.get(holder);
    if (known !== undefined) return known;
    const usage = emptyUsage(this.#world.clockAt(this.#world.now));
    this.#usages.set(holder, usage);
    return usage;
  }
}

/** A number for what a process knows of a key. */
export function pairOf(process: number, key: SimulatedKey, processes: number): number {
  return key.index * processes + process;
}
