export interface FoundRow {
  readonly offsetMs: number;
  readonly chunk: number;
  readonly row: number;
}

const SLICES = 1024;

/** In columns, since most rows are dropped. */
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

  /** Sorted. */
  earliestTimes(maxCount: number): Int32Array {
    const end = this.#endOfEarliest(maxCount);
    const times = new Int32Array(this.#count);
    let count = 0;
    for (let index = 0; index < this.#count; index += 1) {
      if (this.#offsetMs[index]! < end) times[count++] = this.#offsetMs[index]!;
    }
    return times.subarray(0, count).sort().subarray(0, maxCount);
  }

  /** By time, then track key, then order of appending. */
  earliest(maxCount: number, trackKey: (found: FoundRow) => string): FoundRow[] {
    const end = this.#endOfEarliest(maxCount);
    const found: FoundRow[] = [];
    for (let index = 0; index < this.#count; index += 1) {
      const offsetMs = this.#offsetMs[index]!;
      if (offsetMs < end) found.push({ offsetMs, chunk: this.#chunk[index]!, row: this.#row[index]! });
    }
    return found.sort((a, b) => a.offsetMs - b.offsetMs || compareAtOneTime(a, b, trackKey)).slice(0, maxCount);
  }

  #endOfEarliest(maxCount: number): number {
    if (this.#count <= maxCount) return Number.POSITIVE_INFINITY;
    let [first, last] = [this.#offsetMs[0]!, this.#offsetMs[0]!];
    for (let index = 1; index < this.#count; index += 1) {
      const offsetMs = this.#offsetMs[index]!;
      if (offsetMs < first) first = offsetMs;
      if (offsetMs > last) last = offsetMs;
    }
    const sliceMs = Math.ceil((last - first + 1) / SLICES);
    const counts = new Uint32Array(SLICES);
    for (let index = 0; index < this.#count; index += 1) {
      counts[Math.floor((this.#offsetMs[index]! - first) / sliceMs)]! += 1;
    }
    let slices = 0;
    for (let total = 0; total < maxCount; slices += 1) total += counts[slices]!;
    return first + slices * sliceMs;
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
