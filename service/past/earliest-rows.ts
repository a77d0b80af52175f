/** A row that a question is about: when, of which chunk, and which row of it. */
export interface FoundRow {
  readonly offsetMs: number;
  readonly chunk: number;
  readonly row: number;
}

/** Parts of a period by which it is narrowed down what is sorted. */
const SLICES = 1024;

/** Rows of one period, of which the earliest are wanted. Most are found only to be left out, so they stand in columns. */
export class FoundRows {
  #offsetMs = new Int32Array(1024);
  #chunk = new Uint32Array(1024);
  #row = new Uint32Array(1024);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(offsetMs: number, chunk: number, row: number): void {
    if (this.#count === this.#offsetMs.length) this.#grow();
    this.#offsetMs[this.#count] = offsetMs;
    this.#chunk[this.#count] = chunk;
    this.#row[this.#count] = row;
    this.#count += 1;
  }

  /** The times of the earliest `maxCount`, sorted. */
  earliestTimes(maxCount: number): Int32Array {
    const indexes = this.#earliest(maxCount);
    return Int32Array.from(indexes, (index) => this.#offsetMs[index]!)
      .sort()
      .subarray(0, maxCount);
  }

  /** The earliest `maxCount` by time; at the same time by track key; of the same track as they were appended. */
  earliest(maxCount: number, trackKey: (found: FoundRow) => string): FoundRow[] {
    const found = Array.from(this.#earliest(maxCount), (index) => ({
      offsetMs: this.#offsetMs[index]!,
      chunk: this.#chunk[index]!,
      row: this.#row[index]!,
    }));
    return found.sort((a, b) => a.offsetMs - b.offsetMs || compareAtOneTime(a, b, trackKey)).slice(0, maxCount);
  }

  /** The indexes of at least the earliest `maxCount`, in the order in which they were added. */
  #earliest(maxCount: number): Uint32Array {
    const all = Uint32Array.from({ length: this.#count }, (_, index) => index);
    if (this.#count <= maxCount) return all;
    const offsets = this.#offsetMs.subarray(0, this.#count);
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const offset of offsets) {
      if (offset < first) first = offset;
      if (offset > last) last = offset;
    }
    const sliceMs = Math.ceil((last - first + 1) / SLICES);
    const counts = new Uint32Array(SLICES);
    for (const offset of offsets) counts[Math.floor((offset - first) / sliceMs)]! += 1;
    let slices = 0;
    for (let total = 0; total < maxCount; slices += 1) total += counts[slices]!;
    const end = first + slices * sliceMs;
    return all.filter((index) => offsets[index]! < end);
  }

  #grow(): void {
    const capacity = this.#count * 2;
    const [offsetMs, chunk, row] = [new Int32Array(capacity), new Uint32Array(capacity), new Uint32Array(capacity)];
    offsetMs.set(this.#offsetMs);
    chunk.set(this.#chunk);
    row.set(this.#row);
    [this.#offsetMs, this.#chunk, this.#row] = [offsetMs, chunk, row];
  }
}

function compareAtOneTime(a: FoundRow, b: FoundRow, trackKey: (found: FoundRow) => string): number {
  const [keyA, keyB] = [trackKey(a), trackKey(b)];
  if (keyA !== keyB) return keyA < keyB ? -1 : 1;
  return a.chunk - b.chunk || a.row - b.row;
}
