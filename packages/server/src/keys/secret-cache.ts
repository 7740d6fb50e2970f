import { BoundedMap } from '../common/bounded-map.ts';
import type { MaybePromise } from '../common/maybe-promise.ts';
import type { KeyRecord, SecretRecord } from '../storage/storage.ts';

/** A secret with the key that it belongs to. */
export type KnownSecret = { key: KeyRecord; secret: SecretRecord };

type Load = (secret: string) => Promise<KnownSecret | undefined>;

/** How long a process may go on with what it read, in milliseconds: so long a revocation elsewhere may take. */
const FRESH = 5_000;

/** Some 5 MB. */
const CAPACITY = 10_000;

/**
 * Remembers the secrets that were found, as they were sent, so that most requests need neither a hash nor the storage.
 * Secrets that do not exist, or have ended, are not remembered: whoever makes them up would fill the memory.
 */
export class SecretCache {
  readonly #entries: BoundedMap<string, { found: KnownSecret; readAt: number }>;
  #generation = 0;

  constructor(capacity: number = CAPACITY) {
    this.#entries = new BoundedMap(capacity);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** What belongs to a secret; asks `load` when nothing is remembered, or for more than 5 seconds. */
  find(secret: string, now: number, load: Load): MaybePromise<KnownSecret | undefined> {
    const entry = this.#entries.get(secret);
    // A clock that was set back makes no entry last longer.
    if (entry !== undefined && now >= entry.readAt && now - entry.readAt < FRESH) return entry.found;
    return this.#load(secret, now, load);
  }

  async #load(secret: string, now: number, load: Load): Promise<KnownSecret | undefined> {
    const generation = this.#generation;
    const found = await load(secret);
    // What was read before a change must not be remembered after it.
    if (generation === this.#generation) this.#remember(secret, found, now);
    return found;
  }

  /** Forgets everything, also what is being read at this moment. */
  clear(): void {
    this.#generation += 1;
    this.#entries.clear();
  }

  #remember(secret: string, found: KnownSecret | undefined, readAt: number): void {
    this.#entries.delete(secret);
    if (found !== undefined) this.#entries.set(secret, { found, readAt });
  }
}
