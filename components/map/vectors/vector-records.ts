import { destination } from '#lib/geo/great-circle.ts';
import { MERCATOR_MAX_LAT_DEG, mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { CONFIDENCE_CLASSES } from '#lib/model/confidence.ts';
import { confidenceIndex, MARK_EXPIRED } from '#lib/picture/mark-style.ts';
import type { Picture } from '#lib/picture/picture.ts';
import type { TrackColumns } from '#lib/picture/track-columns.ts';
import { floatHigh, floatLow } from '../webgl/float-pair.ts';

/**
 * In three texels of four float32:
 * - its start and its end, each as high x, high y, low x, low y (Mercator)
 * - opacity (0 to 1), and three unused numbers
 */
export const VECTOR_TEXELS = 3;
const VECTOR_FLOATS = 4 * VECTOR_TEXELS;
const OPACITY_FLOAT = 8;

/** A longer way leads over a pole, where the map cannot show a straight line. */
const MAX_WAY_X = 0.25;
const STALE_LABEL = CONFIDENCE_CLASSES.indexOf('stale');

/** Projections of reported speed and heading; none for expired or stale records, or where one is unreported. */
export class VectorRecords {
  #count = 0;
  #floats = new Float32Array(0);
  #words = new Uint32Array(0);
  /** By slot: the inputs and the end, recomputed only after a new report. */
  #from = new Float64Array(0);
  #ends = new Float64Array(0);
  #seconds = 0;

  get count(): number {
    return this.#count;
  }

  words(): Uint32Array {
    return this.#words;
  }

  endAt(index: number): { readonly x: number; readonly y: number } {
    const at = index * VECTOR_FLOATS + 4;
    const [highX = 0, highY = 0, lowX = 0, lowY = 0] = this.#floats.subarray(at, at + 4);
    return { x: highX + lowX, y: highY + lowY };
  }

  /**
   * @param seconds how far ahead
   * @returns whether anything changed since the last call
   */
  pack(picture: Picture, columns: TrackColumns, seconds: number): boolean {
    this.#reserve(picture.capacity, columns.capacity);
    if (seconds !== this.#seconds) this.#from.fill(Number.NaN);
    this.#seconds = seconds;
    const floats = this.#floats;
    let changed = false;
    let count = 0;
    const set = (at: number, value: number) => {
      if (floats[at] === value) return;
      floats[at] = value;
      changed = true;
    };
    for (let index = 0; index < picture.count; index++) {
      const style = picture.style[index] as number;
      if ((style & MARK_EXPIRED) !== 0 || confidenceIndex(style) === STALE_LABEL) continue;
      const slot = picture.slot[index] as number;
      // Nothing moves: there is nothing ahead.
      if (!((columns.speedMps[slot] as number) > 0) || Number.isNaN(columns.headingDeg[slot])) continue;
      this.#findEnd(columns, slot, seconds);
      const endX = this.#ends[slot * 2] as number;
      const endY = this.#ends[slot * 2 + 1] as number;
      if (Number.isNaN(endX)) continue;
      const startX = picture.mercatorX[index] as number;
      const startY = picture.mercatorY[index] as number;
      const at = count * VECTOR_FLOATS;
      set(at, floatHigh(startX));
      set(at + 1, floatHigh(startY));
      set(at + 2, floatLow(startX));
      set(at + 3, floatLow(startY));
      set(at + 4, floatHigh(endX));
      set(at + 5, floatHigh(endY));
      set(at + 6, floatLow(endX));
      set(at + 7, floatLow(endY));
      set(at + OPACITY_FLOAT, floatHigh((picture.colour[index * 4 + 3] as number) / 255));
      count++;
    }
    changed ||= count !== this.#count;
    this.#count = count;
    return changed;
  }

  #findEnd(columns: TrackColumns, slot: number, seconds: number): void {
    const from = slot * 4;
    const lon = columns.lon[slot] as number;
    const lat = columns.lat[slot] as number;
    const headingDeg = columns.headingDeg[slot] as number;
    const speedMps = columns.speedMps[slot] as number;
    const known = this.#from;
    if (
      known[from] === lon &&
      known[from + 1] === lat &&
      known[from + 2] === headingDeg &&
      known[from + 3] === speedMps
    )
      return;
    known[from] = lon;
    known[from + 1] = lat;
    known[from + 2] = headingDeg;
    known[from + 3] = speedMps;
    const end = destination({ lon, lat }, headingDeg, speedMps * seconds);
    const startX = columns.mercatorX[slot] as number;
    const x = mercatorX(end.lon);
    const nearX = x - Math.round(x - startX);
    const isOnMap = Math.max(Math.abs(lat), Math.abs(end.lat)) <= MERCATOR_MAX_LAT_DEG;
    this.#ends[slot * 2] = isOnMap && Math.abs(nearX - startX) <= MAX_WAY_X ? nearX : Number.NaN;
    this.#ends[slot * 2 + 1] = mercatorY(end.lat);
  }

  #reserve(marks: number, slots: number): void {
    if (marks * VECTOR_FLOATS > this.#floats.length) {
      const floats = new Float32Array(marks * VECTOR_FLOATS);
      floats.set(this.#floats);
      this.#floats = floats;
      this.#words = new Uint32Array(floats.buffer);
    }
    if (slots * 4 > this.#from.length) {
      this.#from = new Float64Array(slots * 4).fill(Number.NaN);
      this.#ends = new Float64Array(slots * 2);
    }
  }
}
