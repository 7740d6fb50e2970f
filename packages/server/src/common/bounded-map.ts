/** A map of at most so many entries: one more, and the one that was put first is dropped. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #capacity: number;
  /** One walk for all that are dropped: each new one would begin with the places of those that were dropped before. */
  #oldest = this.keys();
  #putSinceRenewal = 0;

  constructor(capacity: number) {
    super();
    this.#capacity = capacity;
  }

  override set(key: Key, value: Value): this {
    super.set(key, value);
    this.#renewWalk();
    while (this.size > this.#capacity) this.#dropOldest();
    return this;
  }

  override clear(): void {
    super.clear();
    this.#oldest = this.keys();
  }

  /**
   * A walk keeps all that the map has held since its last step, also what was taken out or replaced. As long as nothing is
   * dropped it takes no step, so it begins anew once in as many entries as fit.
   */
  #renewWalk(): void {
    this.#putSinceRenewal += 1;
    if (this.#putSinceRenewal < this.#capacity) return;
    this.#putSinceRenewal = 0;
    this.#oldest = this.keys();
  }

  #dropOldest(): void {
    const next = this.#oldest.next();
    if (next.done) this.#oldest = this.keys();
    else this.delete(next.value);
  }
}
