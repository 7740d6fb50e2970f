type Planned = { at: number; order: number; run: () => void };

/**
 * What is to happen, by time; what is planned for the same time happens in the order in which it was planned, so that a run
 * is the same each time. A binary heap: a run has millions of events.
 */
export class EventQueue {
  readonly #heap: Planned[] = [];
  #planned = 0;

  /** When the next event is; Infinity when nothing is planned. */
  get nextAt(): number {
    return this.#heap[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  plan(at: number, run: () => void): void {
    const heap = this.#heap;
    const event = { at, order: this.#planned, run };
    this.#planned += 1;
    let place = heap.length;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || isBefore(parent, event)) break;
      heap[place] = parent;
      place = above;
    }
    heap[place] = event;
  }

  /** Takes out the next event. */
  take(): Planned | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last !== undefined && heap.length > 0) this.#sink(last);
    return first;
  }

  /** Puts an event where the first one was, and lets it sink to its place. */
  #sink(event: Planned): void {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      const left = heap[2 * place + 1];
      if (left === undefined) break;
      const right = heap[2 * place + 2];
      const isRight = right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (isBefore(event, child)) break;
      heap[place] = child;
      place = 2 * place + (isRight ? 2 : 1);
    }
    heap[place] = event;
  }
}

function isBefore(one: Planned, other: Planned): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
