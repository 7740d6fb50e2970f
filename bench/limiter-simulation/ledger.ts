import { minuteOf } from '../../packages/server/src/quota/usage.ts';
import { quantile } from '../figures/statistics.ts';
import { type Kind, kinds, type SimulatedKey } from './keys.ts';

/** Sums over minutes and keys. `due` is what an exact count lets pass: the requests, up to the quota. */
export type Tally = { due: number; over: number; refusedWrongly: number };

export type Accounts = Tally & {
  byKind: Record<Kind, Tally>;
  /** The most that passed for a key in a minute, in quotas. */
  worst: number;
  /** Milliseconds that counting added to requests. */
  waiting: { p50: number; p99: number };
};

/** More minutes than a run has: a key and a minute are one number. */
const MINUTES = 100_000;

type Minute = { key: SimulatedKey; asked: number; passed: number };

/** Writes down what became of each request. A request belongs to the minute in which it was counted. */
export class Ledger {
  readonly #minutes = new Map<number, Minute>();
  readonly #waited: number[] = [];

  /** How many requests have been counted. */
  get answered(): number {
    return this.#waited.length;
  }

  /** @param clock the time of the count, Unix milliseconds */
  note(key: SimulatedKey, isAllowed: boolean, clock: number, waited: number): void {
    const name = key.index * MINUTES + (minuteOf(clock) % MINUTES);
    const minute = this.#minutes.get(name) ?? { key, asked: 0, passed: 0 };
    minute.asked += 1;
    if (isAllowed) minute.passed += 1;
    this.#minutes.set(name, minute);
    this.#waited.push(waited);
  }

  accounts(): Accounts {
    const byKind = { free: nothing(), pro: nothing(), business: nothing(), hot: nothing() };
    let worst = 0;
    for (const { key, asked, passed } of this.#minutes.values()) {
      const tally = byKind[key.kind];
      const due = Math.min(asked, key.quota.perMinute);
      tally.due += due;
      tally.over += Math.max(0, passed - due);
      tally.refusedWrongly += Math.max(0, due - passed);
      worst = Math.max(worst, passed / key.quota.perMinute);
    }
    const sorted = this.#waited.toSorted((a, b) => a - b);
    const waiting = { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
    return { ...sumOf(byKind), byKind, worst, waiting };
  }
}

function nothing(): Tally {
  return { due: 0, over: 0, refusedWrongly: 0 };
}

function sumOf(byKind: Record<Kind, Tally>): Tally {
  const sum = (field: keyof Tally) => kinds.reduce((total, kind) => total + byKind[kind][field], 0);
  return { due: sum('due'), over: sum('over'), refusedWrongly: sum('refusedWrongly') };
}
