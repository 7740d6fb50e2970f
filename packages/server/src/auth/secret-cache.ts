import type { KeyRecord, SecretRecord } from '../storage/storage.ts';

/** A secret with the key that it belongs to. */
export type KnownSecret = { key: KeyRecord; secret: SecretRecord };

/** How long a process may go on with what it read, in milliseconds: so long a revocation elsewhere may take. */
const FRESH = 5_000;

/** Some 5 MB. */
const CAPACITY = 10_000;

/**
 * Remembers the secrets that were found, so that most requests need no storage. Secrets that do not exist, or have ended, are not
 * remembered: whoever makes them up would fill the memory.
 */
export class SecretCache {
  readonly #entries = new Map<string, { found: KnownSecret; readAt: number }>();
  readonly #capacity: number;
  #generation = 0;

  constructor(capacity: number = CAPACITY) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** What belongs to a hash; asks `load` when nothing is remembered, or for more than 5 seconds. */
  async find(
    hash: Buffer,
    now: number,
    load: (hash: Buffer) => Promise<KnownSecret | undefined>,
  ): Promise<KnownSecret | undefined> {
    const id = hash.toString('base64');
    const entry = this.#entries.get(id);
    // A clock that was set back makes no entry last longer.
    if (entry !== undefined && now >= entry.readAt && now - entry.readAt < FRESH) return entry.found;
    const generation = this.#generation;
    const found = await load(hash);
    // What was read before a change must not be remembered after it.
    if (generation === this.#generation) this.#remember(id, found, now);
    return found;
  }

  /** Forgets everything, also what is being read at this moment. */
  clear(): void {
    this.#generation += 1;
    this.#entries.clear();
  }

  #remember(id: string, found: KnownSecret | undefined, readAt: number): void {
    this.#entries.delete(id);
    if (found === undefined) return;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < this.#capacity) break;
      this.#entries.delete(oldest);
    }
    this.#entries.set(id, { found, readAt });
  }
}
