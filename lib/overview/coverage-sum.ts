import { type CellBox, indexIn } from './cells.ts';
import type { StoredHour } from './hour-body.ts';
import { BANDS, CLASSES } from './kinds.ts';
import { WatchedTime } from './watched-time.ts';

/** Sums of hours, by cell. */
export class CoverageSum {
  readonly cells: CellBox;
  /** By class, then by cell. */
  readonly positions: readonly Float64Array[];
  readonly referenceHours: Float64Array;
  #watched: WatchedTime;
  readonly #band: number | undefined;
  /** The last path that counted in a cell. */
  readonly #counted: Int32Array;
  #path = 0;
  #indices = new Int32Array(0);

  /** @param band index of the layer's height bands; default: all */
  constructor(cells: CellBox, band?: number) {
    const length = cells.columns * cells.rows;
    this.cells = cells;
    this.positions = Array.from({ length: CLASSES }, () => new Float64Array(length));
    this.referenceHours = new Float64Array(length);
    this.#watched = new WatchedTime(cells);
    this.#band = band;
    this.#counted = new Int32Array(length);
  }

  add(hour: StoredHour): void {
    const { columns, rows, kinds, counts, starts, paths, watched, sampling } = hour;
    for (const box of watched) this.#watched.add(box);
    const [box, band, referenceHours, counted] = [this.cells, this.#band, this.referenceHours, this.#counted];
    /** Of each of the hour's cells: index here, -1 outside, of another band, or apart. */
    if (this.#indices.length < counts.length) this.#indices = new Int32Array(2 * counts.length);
    const indices = this.#indices;
    for (let cell = 0; cell < counts.length; cell++) {
      const kind = kinds[cell] as number;
      const isAsked = band === undefined || kind % BANDS === band;
      const index = isAsked ? indexIn(box, columns[cell] as number, rows[cell] as number, hour.size) : -1;
      indices[cell] = kind < BANDS ? index : -1;
      if (index < 0) continue;
      const positions = this.positions[Math.floor(kind / BANDS)] as Float64Array;
      (positions[index] as number) += counts[cell] as number;
    }
    const weight = 2 ** sampling;
    let path = this.#path;
    for (let each = 0; each + 1 < starts.length; each++) {
      path++;
      const end = starts[each + 1] as number;
      for (let at = starts[each] as number; at < end; at++) {
        const index = indices[paths[at] as number] as number;
        if (index < 0 || counted[index] === path) continue;
        counted[index] = path;
        (referenceHours[index] as number) += weight;
      }
    }
    this.#path = path;
  }

  /** For more hours, without a change of this sum. */
  copy(): CoverageSum {
    const copy = new CoverageSum(this.cells, this.#band);
    for (const [index, counts] of this.positions.entries()) copy.positions[index]?.set(counts);
    copy.referenceHours.set(this.referenceHours);
    copy.#watched = this.#watched.copy();
    return copy;
  }

  watched(): ReturnType<WatchedTime['perCell']> {
    return this.#watched.perCell();
  }
}
