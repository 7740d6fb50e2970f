/** A map of at most so many entries: one more, and the one that was put first is dropped. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #capacity: number;
  /** One walk for all that are dropped: each new one would begin with the places of those that were dropped before. */
  #oldest = this.keys();

  constructor(capacity: number) {
    super();
    this.#capacity = capacity;
  }

  override set(key: Key, value: Value): this {
    super.set(key, value);
    while (this.size > this.#capacity) this.#dropOldest();
    return this;
  }

  #dropOldest(): void {
    const next = this.#oldest.next();
    if (next.done) this.#oldest = this.keys();
    else this.delete(next.value);
  }
}
