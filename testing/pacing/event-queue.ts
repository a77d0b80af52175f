type Run = (at: number) => void | Promise<void>;

/** Simulated time: pending events, earliest first; events of the same time in the order they were added. */
export class EventQueue {
  /** A binary heap. */
  readonly #heap: { readonly at: number; readonly order: number; readonly run: Run }[] = [];
  #order = 0;

  add(at: number, run: Run): void {
    const heap = this.#heap;
    const event = { at, order: this.#order++, run };
    let hole = heap.length;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = heap[parent]!;
      if (above.at <= at) break;
      heap[hole] = above;
      hole = parent;
    }
    heap[hole] = event;
  }

  /** Runs all events due before `end`, each after the one before has ended. */
  async runUntil(end: number): Promise<void> {
    for (;;) {
      const first = this.#heap[0];
      if (!first || first.at >= end) return;
      this.#removeFirst();
      const running = first.run(first.at);
      // Most of them wait for nothing.
      if (running !== undefined) await running;
    }
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const moved = heap.pop()!;
    if (heap.length === 0) return;
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, moved)) break;
      heap[hole] = heap[child]!;
      hole = child;
    }
    heap[hole] = moved;
  }
}

function isBefore(a: { at: number; order: number }, b: { at: number; order: number }): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
