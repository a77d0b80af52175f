import { grown } from '#lib/columns/typed-arrays.ts';

/** A track's observations: distinct times in order, and the row of each. */
export class TrackSeries {
  #timesMs = new Int32Array(4);
  #rows = new Uint32Array(4);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /**
   * Since the store's start.
   * @param index below `count`
   */
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
   * −1 if there is none.
   * @param near start of the search, logarithmic in the distance
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
   * @param timesMs ascending, distinct and new, at indexes in [`from`, `to`)
   * @param firstRow row of the first; the others follow
   */
  insert(timesMs: Int32Array, from: number, to: number, firstRow: number): void {
    let pending = to - from;
    this.#reserve(this.#count + pending);
    let existing = this.#count;
    this.#count += pending;
    // Observations are moved from the end, so that nothing is overwritten before it is moved.
    while (pending > 0) {
      const timeMs = timesMs[from + pending - 1] as number;
      const place = this.#placeFor(timeMs, existing);
      if (place < existing) {
        this.#timesMs.copyWithin(place + pending, place, existing);
        this.#rows.copyWithin(place + pending, place, existing);
      }
      existing = place;
      pending--;
      this.#timesMs[existing + pending] = timeMs;
      this.#rows[existing + pending] = firstRow + pending;
    }
  }

  /** Index of the first later one among the first `existing` observations. */
  #placeFor(timeMs: number, existing: number): number {
    let low = -1;
    let high = existing;
    if (existing > 0 && (this.#timesMs[existing - 1] as number) < timeMs) return existing;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#timesMs[middle] as number) < timeMs) low = middle;
      else high = middle;
    }
    return high;
  }

  #reserve(count: number): void {
    if (count <= this.#timesMs.length) return;
    // Doubling would waste too much memory with a million observations of few tracks.
    const capacity = Math.max(count, Math.ceil(this.#timesMs.length * 1.5));
    this.#timesMs = grown(this.#timesMs, capacity);
    this.#rows = grown(this.#rows, capacity);
  }
}
