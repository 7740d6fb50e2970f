/** The most operations that run at once in this process. They bound every queue behind them, such as that of the storage. */
export const concurrency = {
  /** For each API key, and for all callers without one together. At 20 ms each, a key gets 12,500 responses per second. */
  perKey: 250,
  /** A writing operation starts only below this number. */
  writes: 500,
  /** A reading operation starts only below this number, so that reads continue while writes wait. */
  total: 1_000,
};

/** Counts the operations that run, against `concurrency` (decision 44). */
export class ConcurrencyLimit {
  #running = 0;
  readonly #byKey = new Map<string, number>();
  /** The number of operations that were refused. */
  readonly refused = { key: 0, process: 0 };

  get running(): number {
    return this.#running;
  }

  /** Counts an operation that is about to run, and returns why it may not: it is then not counted. The caller calls `leave` later. */
  enter(keyId: string, isWrite: boolean): 'key' | 'process' | undefined {
    const ofKey = this.#byKey.get(keyId) ?? 0;
    if (ofKey >= concurrency.perKey) return this.#refuse('key');
    if (this.#running >= (isWrite ? concurrency.writes : concurrency.total)) return this.#refuse('process');
    this.#running += 1;
    this.#byKey.set(keyId, ofKey + 1);
    return undefined;
  }

  #refuse(by: 'key' | 'process'): 'key' | 'process' {
    this.refused[by] += 1;
    return by;
  }

  leave(keyId: string): void {
    this.#running -= 1;
    const left = (this.#byKey.get(keyId) ?? 1) - 1;
    if (left === 0) this.#byKey.delete(keyId);
    else this.#byKey.set(keyId, left);
  }
}
