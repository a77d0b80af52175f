import 'server-only';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { type Expected, requestCost } from './request-cost.ts';

const NONE = -1;

export const variant = { tie: 0 };

/** Greedy merging of areas, in columns: a merge replaces the first of the pair by the hull and moves the last to the second. */
export class Merger {
  readonly #expected: Expected;
  #size: number;
  readonly #west: Float64Array;
  readonly #south: Float64Array;
  readonly #east: Float64Array;
  readonly #north: Float64Array;
  readonly #count: Float64Array;
  readonly #cost: Float64Array;
  /** Of each area: the best partner among those after it, what their hull saves, and the area that the hull adds. */
  readonly #partner: Int32Array;
  readonly #saving: Float64Array;
  readonly #added: Float64Array;
  readonly #hull = { west: 0, south: 0, east: 0, north: 0 };

  constructor(areas: readonly Bbox[], expected: Expected) {
    this.#expected = expected;
    this.#size = areas.length;
    this.#west = Float64Array.from(areas, ({ west }) => west);
    this.#south = Float64Array.from(areas, ({ south }) => south);
    this.#east = Float64Array.from(areas, ({ east }) => east);
    this.#north = Float64Array.from(areas, ({ north }) => north);
    this.#count = Float64Array.from(areas, expected);
    this.#cost = this.#count.map(requestCost);
    this.#partner = new Int32Array(areas.length).fill(NONE);
    this.#saving = new Float64Array(areas.length);
    this.#added = new Float64Array(areas.length);
  }

  merged(): readonly Bbox[] {
    for (let i = 0; i < this.#size; i++) this.#findPartner(i);
    for (let first = this.#best(); first !== NONE; first = this.#best()) this.#merge(first, this.#partner[first] as number);
    return Array.from({ length: this.#size }, (_, i) => ({
      west: this.#west[i] as number,
      south: this.#south[i] as number,
      east: this.#east[i] as number,
      north: this.#north[i] as number,
    }));
  }

  #best(): number {
    let best = NONE;
    for (let i = 0; i < this.#size; i++) {
      if (this.#partner[i] !== NONE && (best === NONE || this.#isBetter(this.#saving[i] as number, this.#added[i] as number, best)))
        best = i;
    }
    return best;
  }

  #isBetter(saving: number, added: number, than: number): boolean {
    const other = this.#saving[than] as number;
    return saving > other || (saving === other && added < (this.#added[than] as number));
  }

  #findPartner(i: number): void {
    this.#partner[i] = NONE;
    this.#saving[i] = 0;
    for (let j = i + 1; j < this.#size; j++) this.#consider(i, j);
  }

  /** Makes j the partner of i where it is better than the one it has. */
  #consider(i: number, j: number): void {
    const west = Math.min(this.#west[i] as number, this.#west[j] as number);
    const east = Math.max(this.#east[i] as number, this.#east[j] as number);
    if (east - west > LIVE_MAX_SPAN_DEG) return;
    const south = Math.min(this.#south[i] as number, this.#south[j] as number);
    const north = Math.max(this.#north[i] as number, this.#north[j] as number);
    if (north - south > LIVE_MAX_SPAN_DEG) return;
    const costI = this.#cost[i] as number;
    const costJ = this.#cost[j] as number;
    const most = Math.min(costI, costJ);
    const held = this.#partner[i] === NONE ? 0 : (this.#saving[i] as number);
    if (most < held) return;
    const hull = this.#hull;
    hull.west = west;
    hull.south = south;
    hull.east = east;
    hull.north = north;
    const si = this.#size_(i);
    const sj = this.#size_(j);
    const hs = (east - west) * (north - south);
    let added = 0;
    if (variant.tie === 0) added = hs - si - sj + this.#shared(i, j);
    else if (variant.tie === 1) added = hs;
    else if (variant.tie === 2) added = east - west + north - south;
    else if (variant.tie === 5) added = hs - Math.max(si, sj);
    if (variant.tie !== 3 && variant.tie !== 4 && variant.tie !== 6 && most === held && !(added < (this.#added[i] as number))) return;
    const n = this.#expected(hull);
    if (variant.tie === 3) added = n;
    if (variant.tie === 4) added = n - (this.#count[i] as number) - (this.#count[j] as number) ;
    if (variant.tie === 6) added = n - Math.max(this.#count[i] as number, this.#count[j] as number) ;
    const saving = costI + costJ - requestCost(n);
    if (saving < 1) return;
    if (this.#partner[i] !== NONE && !this.#isBetter(saving, added, i)) return;
    this.#partner[i] = j;
    this.#saving[i] = saving;
    this.#added[i] = added;
  }
  #size_(i: number): number {
    return ((this.#east[i] as number) - (this.#west[i] as number)) * ((this.#north[i] as number) - (this.#south[i] as number));
  }
  #shared(i: number, j: number): number {
    const w = Math.min(this.#east[i] as number, this.#east[j] as number) - Math.max(this.#west[i] as number, this.#west[j] as number);
    const h = Math.min(this.#north[i] as number, this.#north[j] as number) - Math.max(this.#south[i] as number, this.#south[j] as number);
    return w > 0 && h > 0 ? w * h : 0;
  }

  #merge(i: number, j: number): void {
    this.#west[i] = Math.min(this.#west[i] as number, this.#west[j] as number);
    this.#south[i] = Math.min(this.#south[i] as number, this.#south[j] as number);
    this.#east[i] = Math.max(this.#east[i] as number, this.#east[j] as number);
    this.#north[i] = Math.max(this.#north[i] as number, this.#north[j] as number);
    this.#count[i] = this.#expected({
      west: this.#west[i] as number,
      south: this.#south[i] as number,
      east: this.#east[i] as number,
      north: this.#north[i] as number,
    });
    this.#cost[i] = requestCost(this.#count[i] as number);
    const last = --this.#size;
    for (const column of [this.#west, this.#south, this.#east, this.#north, this.#count, this.#cost]) column[j] = column[last] as number;
    // Partners of i, of j and of the last, which moved, are out of date; so is that of every area between j and last.
    for (let k = 0; k < this.#size; k++) {
      const partner = this.#partner[k];
      if (k === i || k === j || partner === i || partner === j || partner === last) this.#findPartner(k);
      else {
        if (k < i) this.#consider(k, i);
        if (k < j) this.#consider(k, j);
      }
    }
  }
}
