/** When a track was observed, in order of time, and in which row each observation stands. No time is there twice. */
export class TrackSeries {
  #timesMs = new Int32Array(4);
  #rows = new Uint32Array(4);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Since the store's start. @param index below `count` */
  timeMs(index: number): number {
    return this.#timesMs[index] as number;
  }

  row(index: number): number {
    return this.#rows[index] as number;
  }

  has(timeMs: number): boolean {
    const index = this.lastAtOrBefore(timeMs, this.#count - 1);
    return index >= 0 && this.#timesMs[index] === timeMs;
  }

  /**
   * Index of the last observation at or before the time, −1 where there is none.
   * @param near where it is looked for first: a cursor that moves a little finds its place in a step or two, one that jumps
   * in the logarithm of the distance
   */
  lastAtOrBefore(timeMs: number, near: number): number {
    const times = this.#timesMs;
    let low = Math.min(Math.max(near, 0), this.#count - 1);
    if (low < 0) return -1;
    // `low` is at or before the time (or −1), `high` is after it (or the end).
    let high = low + 1;
    let step = 1;
    if ((times[low] as number) <= timeMs) {
      while (high < this.#count && (times[high] as number) <= timeMs) {
        low = high;
        high = Math.min(this.#count, high + step);
        step *= 2;
      }
    } else {
      high = low;
      low -= step;
      while (low >= 0 && (times[low] as number) > timeMs) {
        high = low;
        step *= 2;
        low -= step;
      }
      low = Math.max(low, -1);
    }
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((times[middle] as number) <= timeMs) low = middle;
      else high = middle;
    }
    return low;
  }

  /**
   * Takes in observations that are in order of time, whose times differ from each other and from all that are held.
   * @param timesMs from index `from` to before `to` @param firstRow the row of the first; the others follow it
   */
  insert(timesMs: Int32Array, from: number, to: number, firstRow: number): void {
    let pending = to - from;
    this.#reserve(this.#count + pending);
    let held = this.#count;
    this.#count += pending;
    // From the end, so that nothing that is still to be moved is written over; what stands together moves together.
    while (pending > 0) {
      const timeMs = timesMs[from + pending - 1] as number;
      const place = this.#placeFor(timeMs, held);
      if (place < held) {
        this.#timesMs.copyWithin(place + pending, place, held);
        this.#rows.copyWithin(place + pending, place, held);
      }
      held = place;
      pending--;
      this.#timesMs[held + pending] = timeMs;
      this.#rows[held + pending] = firstRow + pending;
    }
  }

  /** The first of the first `held` observations that is later. */
  #placeFor(timeMs: number, held: number): number {
    let low = -1;
    let high = held;
    if (held > 0 && (this.#timesMs[held - 1] as number) < timeMs) return held;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#timesMs[middle] as number) < timeMs) low = middle;
      else high = middle;
    }
    return high;
  }

  #reserve(count: number): void {
    if (count <= this.#timesMs.length) return;
    // Half as much again: a million observations of few tracks must not lie in twice their room.
    const capacity = Math.max(count, Math.ceil(this.#timesMs.length * 1.5));
    const timesMs = new Int32Array(capacity);
    const rows = new Uint32Array(capacity);
    timesMs.set(this.#timesMs);
    rows.set(this.#rows);
    this.#timesMs = timesMs;
    this.#rows = rows;
  }
}
