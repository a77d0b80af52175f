import 'server-only';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { type Expected, requestCost } from './request-cost.ts';

/** Above this, areas are merged by halves of the map, since every pair is compared. */
const TOGETHER_MAX = 128;

/**
 * Merges areas while that saves requests. It is greedy: the pair whose hull saves most requests comes first, and of equal
 * savings the one that adds least area.
 */
export function mergeAreas(areas: readonly Bbox[], expected: Expected): readonly Bbox[] {
  if (areas.length <= TOGETHER_MAX) return new AreaMerger(areas, expected).merged();
  const halves = halvesOfTheMap(areas).map((half) => mergeAreas(half, expected));
  const together = halves.flat();
  // Hardly any pair of so many saves a request.
  return together.length <= TOGETHER_MAX ? new AreaMerger(together, expected).merged() : together;
}

/** The areas in two halves, cut across the longer extent. */
function halvesOfTheMap(areas: readonly Bbox[]): readonly (readonly Bbox[])[] {
  const lons = areas.map(({ west, east }) => west + east);
  const lats = areas.map(({ south, north }) => south + north);
  const wide = extent(lons) > extent(lats);
  const sorted = areas.toSorted((a, b) =>
    wide ? a.west + a.east - b.west - b.east : a.south + a.north - b.south - b.north,
  );
  const middle = sorted.length >> 1;
  return [sorted.slice(0, middle), sorted.slice(middle)];
}

function extent(values: readonly number[]): number {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return max - min;
}

const NONE = -1;

/**
 * Each area remembers its best partner among those after it, so that about n² pairs are compared and not n³. Areas are
 * columns, because there are millions of comparisons.
 */
class AreaMerger {
  readonly #expected: Expected;
  #size: number;
  readonly #west: Float64Array;
  readonly #south: Float64Array;
  readonly #east: Float64Array;
  readonly #north: Float64Array;
  readonly #cost: Float64Array;
  readonly #partner: Int32Array;
  /** Requests that the merge with the partner saves, at least 1. */
  readonly #saving: Float64Array;
  /** The part of that hull that is outside both areas. */
  readonly #addedDeg2: Float64Array;
  /** One object for all pairs: allocating would dominate. */
  readonly #hull = { west: 0, south: 0, east: 0, north: 0 };

  /** @param areas do not cross 180° or exceed the contract's live limit */
  constructor(areas: readonly Bbox[], expected: Expected) {
    this.#expected = expected;
    this.#size = areas.length;
    this.#west = Float64Array.from(areas, ({ west }) => west);
    this.#south = Float64Array.from(areas, ({ south }) => south);
    this.#east = Float64Array.from(areas, ({ east }) => east);
    this.#north = Float64Array.from(areas, ({ north }) => north);
    this.#cost = Float64Array.from(areas, (area) => requestCost(expected(area)));
    this.#partner = new Int32Array(areas.length).fill(NONE);
    this.#saving = new Float64Array(areas.length);
    this.#addedDeg2 = new Float64Array(areas.length);
  }

  merged(): readonly Bbox[] {
    for (let i = 0; i < this.#size; i++) this.#findPartner(i);
    for (let i = this.#firstOfBestPair(); i !== NONE; i = this.#firstOfBestPair()) {
      this.#merge(i, this.#partner[i] as number);
    }
    return Array.from({ length: this.#size }, (_, i) => ({
      west: this.#west[i] as number,
      south: this.#south[i] as number,
      east: this.#east[i] as number,
      north: this.#north[i] as number,
    }));
  }

  #firstOfBestPair(): number {
    let best = NONE;
    for (let i = 0; i < this.#size; i++) {
      if (this.#partner[i] === NONE) continue;
      if (best === NONE || this.#isBetter(this.#saving[i] as number, this.#addedDeg2[i] as number, best)) best = i;
    }
    return best;
  }

  /** Of equal savings, the least added area leaves most room for other merges. */
  #isBetter(saving: number, addedDeg2: number, than: number): boolean {
    if (this.#partner[than] === NONE) return true;
    const other = this.#saving[than] as number;
    return saving > other || (saving === other && addedDeg2 < (this.#addedDeg2[than] as number));
  }

  #findPartner(i: number): void {
    this.#partner[i] = NONE;
    for (let j = i + 1; j < this.#size; j++) this.#offer(i, j);
  }

  #offer(i: number, j: number): void {
    const west = Math.min(this.#west[i] as number, this.#west[j] as number);
    const east = Math.max(this.#east[i] as number, this.#east[j] as number);
    if (east - west > LIVE_MAX_SPAN_DEG) return;
    const south = Math.min(this.#south[i] as number, this.#south[j] as number);
    const north = Math.max(this.#north[i] as number, this.#north[j] as number);
    if (north - south > LIVE_MAX_SPAN_DEG) return;

    // The hull costs at least as much as either area. Counting it is slow.
    const costs = (this.#cost[i] as number) + (this.#cost[j] as number);
    const savingMax = Math.min(this.#cost[i] as number, this.#cost[j] as number);
    const addedDeg2 = (east - west) * (north - south) - this.#togetherDeg2(i, j);
    if (!this.#isBetter(savingMax, addedDeg2, i)) return;
    this.#hull.west = west;
    this.#hull.south = south;
    this.#hull.east = east;
    this.#hull.north = north;
    const saving = costs - requestCost(this.#expected(this.#hull));
    if (saving < 1 || !this.#isBetter(saving, addedDeg2, i)) return;
    this.#partner[i] = j;
    this.#saving[i] = saving;
    this.#addedDeg2[i] = addedDeg2;
  }

  #togetherDeg2(i: number, j: number): number {
    const westI = this.#west[i] as number;
    const southI = this.#south[i] as number;
    const eastI = this.#east[i] as number;
    const northI = this.#north[i] as number;
    const westJ = this.#west[j] as number;
    const southJ = this.#south[j] as number;
    const eastJ = this.#east[j] as number;
    const northJ = this.#north[j] as number;
    const sharedWidth = Math.max(0, Math.min(eastI, eastJ) - Math.max(westI, westJ));
    const sharedHeight = Math.max(0, Math.min(northI, northJ) - Math.max(southI, southJ));
    return (eastI - westI) * (northI - southI) + (eastJ - westJ) * (northJ - southJ) - sharedWidth * sharedHeight;
  }

  /** The hull replaces i, and the last area replaces j, which comes after i. */
  #merge(i: number, j: number): void {
    this.#west[i] = Math.min(this.#west[i] as number, this.#west[j] as number);
    this.#south[i] = Math.min(this.#south[i] as number, this.#south[j] as number);
    this.#east[i] = Math.max(this.#east[i] as number, this.#east[j] as number);
    this.#north[i] = Math.max(this.#north[i] as number, this.#north[j] as number);
    this.#cost[i] = (this.#cost[i] as number) + (this.#cost[j] as number) - (this.#saving[i] as number);
    this.#size--;
    const last = this.#size;
    for (const column of [this.#west, this.#south, this.#east, this.#north, this.#cost]) {
      column[j] = column[last] as number;
    }
    for (let k = 0; k < this.#size; k++) {
      const partner = this.#partner[k];
      if (k === i || k === j || partner === i || partner === j || partner === last) this.#findPartner(k);
      else if (k < i) this.#offer(k, i);
    }
  }
}
