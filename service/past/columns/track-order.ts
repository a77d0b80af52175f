import type { Rows } from '../rows.ts';

/** By track, time, then order of appending. In Z-order, tracks of a chunk are neighbours. */
export class TrackOrder {
  readonly rows: Uint32Array;
  /** Track numbers in this order, also that of the dictionary. */
  readonly tracks: Uint32Array;
  /** At the end their count. */
  readonly #begins: Uint32Array;

  constructor(rows: Rows, stepsPerDeg: number) {
    const { length, track } = rows;
    const { offsetMs } = rows.columns;
    const trackCount = rows.trackKeys.length;
    const firstRow = new Uint32Array(trackCount);
    const counts = new Uint32Array(trackCount);
    for (let row = length - 1; row >= 0; row -= 1) {
      const number = track[row]!;
      if (counts[number]! === 0 || offsetMs[row]! <= offsetMs[firstRow[number]!]!) firstRow[number] = row;
      counts[number]! += 1;
    }
    const places = Float64Array.from(firstRow, (row) =>
      zOrder(rows.columns.lon[row]! / stepsPerDeg, rows.columns.lat[row]! / stepsPerDeg),
    );
    this.tracks = Uint32Array.from(counts.keys())
      .filter((number) => counts[number]! > 0)
      .sort((a, b) => places[a]! - places[b]! || a - b);

    this.#begins = new Uint32Array(this.tracks.length + 1);
    const next = new Uint32Array(trackCount);
    for (const [index, number] of this.tracks.entries()) {
      next[number] = this.#begins[index]!;
      this.#begins[index + 1] = this.#begins[index]! + counts[number]!;
    }
    this.rows = new Uint32Array(length);
    for (let row = 0; row < length; row += 1) this.rows[next[track[row]!]!++] = row;
    for (let index = 0; index < this.tracks.length; index += 1) {
      sortByTime(this.rows.subarray(this.#begins[index]!, this.#begins[index + 1]!), offsetMs);
    }
  }

  runsBetween(from: number, to: number): { firstTrack: number; runLengths: Uint32Array } {
    const begins = this.#begins;
    let [low, high] = [0, begins.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (begins[middle]! <= from) low = middle;
      else high = middle - 1;
    }
    const lengths: number[] = [];
    for (let track = low; begins[track]! < to; track += 1) {
      lengths.push(Math.min(to, begins[track + 1]!) - Math.max(from, begins[track]!));
    }
    return { firstTrack: low, runLengths: Uint32Array.from(lengths) };
  }
}

/** Rows are mostly sorted already. */
function sortByTime(rows: Uint32Array, offsetMs: Int32Array): void {
  for (let index = 1; index < rows.length; index += 1) {
    if (offsetMs[rows[index]!]! < offsetMs[rows[index - 1]!]!) {
      rows.sort((a, b) => offsetMs[a]! - offsetMs[b]! || a - b);
      return;
    }
  }
}

const STEPS = 65_536;

function zOrder(lonDeg: number, latDeg: number): number {
  const x = Math.min(STEPS - 1, Math.floor((STEPS * (lonDeg + 180)) / 2 / 180));
  const y = Math.min(STEPS - 1, Math.floor((STEPS * (latDeg + 90)) / 180));
  return spreadBits(x) + 2 * spreadBits(y);
}

/** A 0 between all bits of a 16-bit number. */
function spreadBits(number: number): number {
  let bits = number;
  bits = (bits | (bits << 8)) & 0x00ff00ff;
  bits = (bits | (bits << 4)) & 0x0f0f0f0f;
  bits = (bits | (bits << 2)) & 0x33333333;
  return (bits | (bits << 1)) & 0x55555555;
}
