/** Rows by ID. An ID is never used twice. */
export class Table<Row extends { id: number }> {
  readonly #seed: readonly Row[];
  #rows = new Map<number, Row>();
  #lastId = 0;

  constructor(seed: readonly Row[]) {
    this.#seed = seed;
    this.reset();
  }

  /** The rows in the order of their IDs. */
  get rows(): Row[] {
    return [...this.#rows.values()].sort((one, other) => one.id - other.id);
  }

  find(id: number): Row | undefined {
    return this.#rows.get(id);
  }

  /** Saves the row that is created with a new ID. */
  add(create: (id: number) => Row): Row {
    return this.save(create(this.#lastId + 1));
  }

  save(row: Row): Row {
    this.#rows.set(row.id, row);
    this.#lastId = Math.max(this.#lastId, row.id);
    return row;
  }

  remove(id: number): void {
    this.#rows.delete(id);
  }

  reset(): void {
    this.#rows = new Map(this.#seed.map((row) => [row.id, row]));
    this.#lastId = Math.max(0, ...this.#rows.keys());
  }
}
