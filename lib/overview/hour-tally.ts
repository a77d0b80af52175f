import { grown } from '#lib/columns/typed-arrays.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { cellColumnOf, cellKey, cellRowOf, columnOfKey, kindOfKey, rowOfKey, SIZES } from './cells.ts';
import { FollowedSteps, type UnbrokenArea } from './followed-steps.ts';
import { NumberTable } from './number-table.ts';

export const TALLY_LIMITS = {
  /** References in cells, for cells finer than usual: keeps a month of a dense region below 20 MB. */
  finePairs: { rid: 6000, adsb: 44_000 },
  /** With usual cells and coarser, only a part of the references is followed beyond. */
  pairs: 131_072,
  /** With more kinds of position in cells, cells become larger. */
  cells: 131_072,
  /** Positions of further references cannot be counted once each. */
  references: 262_144,
};
export type TallyLimits = Omit<typeof TALLY_LIMITS, 'finePairs'> & {
  readonly finePairs: Readonly<Record<Layer, number>>;
};

/** Observation times that are known of each reference. Older ones are taken for repeated. */
const TIMES = 4;
const CELLS_MAX = 2 ** 20;

/** Counts the received positions of a layer in an hour, each once. */
export class HourTally {
  readonly layer: Layer;
  readonly #limits: TallyLimits;
  /** The hashes of all references. */
  readonly references = new NumberTable();
  /** Kinds of position in cells, by `cellKey`. */
  cells = new NumberTable();
  /** Followed references in cells: `follower * CELLS_MAX + cell`. */
  pairs = new NumberTable();
  counts = new Uint32Array(64);
  /** Cells have sides of 2 ** size units of 1/256°. */
  size: number;
  /** One of 2 ** sampling references is followed. */
  sampling = 0;
  readonly followed: FollowedSteps;
  #late = 0;
  /** The known times of each reference, newest first. */
  #times = new Float64Array(64 * TIMES);
  #lastKey = new Float64Array(64);
  #lastCell = new Int32Array(64);

  constructor(layer: Layer, limits: TallyLimits = TALLY_LIMITS) {
    this.layer = layer;
    this.#limits = limits;
    this.size = SIZES[layer].finest;
    this.followed = new FollowedSteps(SIZES[layer].measured);
  }

  /** Positions that were read too late for their hour, or whose references are too many. */
  get late(): number {
    return this.#late;
  }

  newestOf(reference: number): number {
    return this.#times[reference * TIMES] as number;
  }

  /** Counts an observation unless it is a repeated one. @param hash of the reference @param area that was read */
  count(hash: number, atMs: number, lon: number, lat: number, kind: number, area: UnbrokenArea): void {
    const reference = this.#referenceOf(hash);
    if (reference < 0) {
      this.addLate();
      return;
    }
    const lastMs = this.newestOf(reference);
    if (this.#isNew(reference, atMs)) {
      // One that arrives after a later one leaves its step missed: live answers have the latest of a track alone.
      if (atMs > lastMs) this.followed.add(reference, lastMs, atMs, lon, lat, kind, area);
      this.#add(reference, hash, cellKey(cellColumnOf(lon) >> this.size, cellRowOf(lat) >> this.size, kind), 1);
      if (this.#isFull()) this.#shrink();
    }
  }

  /** Counts a position that was read too late for its hour. */
  addLate(): void {
    this.#late++;
  }

  /** Notes an observation that is read after the hour was closed. @returns false for a repeated one */
  countLate(hash: number, atMs: number): boolean {
    const reference = this.#referenceOf(hash);
    return reference >= 0 && this.#isNew(reference, atMs);
  }

  /** Begins with a stored hour, before anything else is counted. */
  restore({ size, sampling, late }: Pick<HourTally, 'size' | 'sampling' | 'late'>): void {
    this.#enlarge(size);
    this.sampling = sampling;
    this.#late = late;
  }

  restoreReference(hash: number, newestMs: number): void {
    const reference = this.#referenceOf(hash);
    // Older times may have been counted.
    this.#times.fill(newestMs, reference * TIMES, (reference + 1) * TIMES);
  }

  /** @param follower of the pair: 0 for all that are not followed, else the reference + 1 */
  restorePair(follower: number, key: number): void {
    this.pairs.add(follower * CELLS_MAX + this.#cellOf(key));
  }

  restoreCount(key: number, count: number): void {
    this.counts[this.#cellOf(key)] = count;
  }

  followerOf(pair: number): number {
    return Math.floor(this.pairs.at(pair) / CELLS_MAX);
  }

  cellOf(pair: number): number {
    return this.pairs.at(pair) % CELLS_MAX;
  }

  /** The boxes of all cells, in units. */
  *cellBoxes(): Generator<Bbox> {
    const side = 2 ** this.size;
    for (let cell = 0; cell < this.cells.size; cell++) {
      const key = this.cells.at(cell);
      const [west, south] = [columnOfKey(key) * side, rowOfKey(key) * side];
      yield { west, south, east: west + side, north: south + side };
    }
  }

  /** @returns -1 if there are too many */
  #referenceOf(hash: number): number {
    const { references } = this;
    if (references.size >= this.#limits.references) return references.find(hash);
    const known = references.size;
    const reference = references.add(hash);
    if (reference < known) return reference;
    if (reference >= this.#lastKey.length) {
      this.#times = grown(this.#times);
      this.#lastKey = grown(this.#lastKey);
      this.#lastCell = grown(this.#lastCell);
    }
    this.#times.fill(Number.NEGATIVE_INFINITY, reference * TIMES, (reference + 1) * TIMES);
    this.#lastKey[reference] = -1;
    return reference;
  }

  #isNew(reference: number, atMs: number): boolean {
    const times = this.#times;
    const first = reference * TIMES;
    let at = first;
    while (at < first + TIMES && atMs < (times[at] as number)) at++;
    if (at === first + TIMES || atMs === times[at]) return false;
    for (let each = first + TIMES - 1; each > at; each--) times[each] = times[each - 1] as number;
    times[at] = atMs;
    return true;
  }

  #add(reference: number, hash: number, key: number, count: number): void {
    let cell = this.#lastCell[reference] as number;
    if (this.#lastKey[reference] !== key) {
      cell = this.#cellOf(key);
      this.pairs.add((isFollowed(hash, this.sampling) ? reference + 1 : 0) * CELLS_MAX + cell);
      this.#lastKey[reference] = key;
      this.#lastCell[reference] = cell;
    }
    this.counts[cell] = (this.counts[cell] as number) + count;
  }

  #cellOf(key: number): number {
    const cell = this.cells.add(key);
    if (cell >= this.counts.length) this.counts = grown(this.counts);
    return cell;
  }

  #isFull(): boolean {
    const { finePairs, pairs, cells } = this.#limits;
    if (this.size < SIZES[this.layer].usual) return this.pairs.size > finePairs[this.layer];
    return this.pairs.size > pairs || (this.#cellCount > cells && this.size < SIZES[this.layer].coarsest);
  }

  get #cellCount(): number {
    return Math.max(this.cells.size, this.followed.cells.size);
  }

  /** Makes cells larger where they are fine or too many, else follows fewer references. Positions stay exact. */
  #shrink(): void {
    while (this.#isFull()) {
      const { usual, coarsest } = SIZES[this.layer];
      const isLarger = this.size < usual || (this.#cellCount > this.#limits.cells && this.size < coarsest);
      if (!isLarger && this.pairs.size <= this.cells.size) return;
      this.#rebuild(isLarger ? 1 : 0, isLarger ? 0 : 1);
    }
  }

  #rebuild(larger: 0 | 1, fewer: 0 | 1): void {
    const { cells, counts, pairs } = this;
    this.#enlarge(this.size + larger);
    this.sampling += fewer;
    this.cells = new NumberTable();
    this.counts = new Uint32Array(64);
    this.pairs = new NumberTable();
    const moved = new Int32Array(cells.size);
    for (let cell = 0; cell < cells.size; cell++) {
      const key = cells.at(cell);
      const to = this.#cellOf(cellKey(columnOfKey(key) >> larger, rowOfKey(key) >> larger, kindOfKey(key)));
      moved[cell] = to;
      this.counts[to] = (this.counts[to] as number) + (counts[cell] as number);
    }
    for (let pair = 0; pair < pairs.size; pair++) {
      const follower = Math.floor(pairs.at(pair) / CELLS_MAX);
      const isKept = follower > 0 && isFollowed(this.references.at(follower - 1), this.sampling);
      this.pairs.add((isKept ? follower : 0) * CELLS_MAX + (moved[pairs.at(pair) % CELLS_MAX] as number));
    }
    this.#lastKey.fill(-1);
  }

  #enlarge(size: number): void {
    this.size = size;
    if (size > this.followed.size) this.followed.enlarge(size);
  }
}

export function isFollowed(hash: number, sampling: number): boolean {
  return ((hash >>> 0) & ((1 << sampling) - 1)) === 0;
}
