import { grown } from '#lib/columns/typed-arrays.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Reported } from '#lib/zones/stretches/watched-reception.ts';
import { cellColumnOf, cellKey, cellRowOf, columnOfKey, kindOfKey, rowOfKey } from './cells.ts';
import { NumberTable } from './number-table.ts';

/**
 * Measured reception: in how many steps of time a track was received, of those between two receptions of it. Nothing counts
 * before the first reception in a height band and after the last one. These two do not count either: they are received in
 * any case, so that short tracks would make the share too high. Steps between two bands are of neither, since nothing says
 * how many are of which. It is no probability: what was never received leaves no trace.
 */

/** Receivers record a track every 5 to 10 s. Steps begin at whole multiples. */
export const STEP_MS = 10 * SECOND_MS;
/**
 * Receptions further apart are not of one flight. Of the 144,000 pauses of references in the recordings, three have 2 to
 * 5 min; of 416 longer ones, 406 have half an hour and more. Where less than a tenth of a track is received, the pauses that
 * are left out make the share up to 1.5 points too high.
 */
export const FOLLOWED_STEPS_MAX = 30;

const AREAS_MAX = 512;

/** An area since the last pause of its reads: over a pause, a step may be missed without a failure of reception. */
export interface UnbrokenArea {
  readonly bbox: Bbox;
  /** The first read since; Infinity where the last read was of no receiver. */
  sinceMs: number;
  /** The last complete read. */
  lastMs: number;
}

interface ReadOfArea {
  readonly key: string;
  readonly bbox: Bbox;
  readonly readMs: number;
  readonly isComplete: boolean;
  readonly reported?: Reported | undefined;
}

/** Where reads follow each other at most a step apart, with a receiver there. */
export class UnbrokenReads {
  readonly #areas = new Map<string, UnbrokenArea>();

  read({ key, bbox, readMs, isComplete, reported }: ReadOfArea): UnbrokenArea {
    const known = this.#areas.get(key);
    const area = known ?? { bbox, sinceMs: Number.POSITIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY };
    if (!known) {
      if (this.#areas.size >= AREAS_MAX) this.#areas.clear();
      this.#areas.set(key, area);
    }
    if (readMs <= area.lastMs) return area;
    if (reported?.state === 'not_watched') {
      area.sinceMs = Number.POSITIVE_INFINITY;
      return area;
    }
    const isPaused = readMs - area.lastMs > STEP_MS || area.sinceMs === Number.POSITIVE_INFINITY;
    if (isPaused) area.sinceMs = isComplete ? readMs : Number.POSITIVE_INFINITY;
    if (isComplete) area.lastMs = readMs;
    return area;
  }
}

/** Received and missed steps by kind of position in cells, of an hour. */
export class FollowedSteps {
  /** Cells have sides of 2 ** size units of 1/256°. */
  size: number;
  /** By `cellKey`. */
  cells = new NumberTable();
  received = new Uint32Array(64);
  missed = new Uint32Array(64);
  /** Of each reference, its last reception: the step (-1 for none), place and kind. */
  #step = new Float64Array(64).fill(-1);
  #lon = new Float64Array(64);
  #lat = new Float64Array(64);
  #kind = new Uint8Array(64);
  /** 1 where the step is after another one. */
  #isFollowed = new Uint8Array(64);

  constructor(size: number) {
    this.size = size;
  }

  /** Notes a reception that is later than any before of its reference. @param lastMs the one before */
  add(
    reference: number,
    lastMs: number,
    atMs: number,
    lon: number,
    lat: number,
    kind: number,
    area: UnbrokenArea,
  ): void {
    while (reference >= this.#step.length) this.#grow();
    const step = Math.floor(atMs / STEP_MS);
    const lastStep = this.#step[reference] as number;
    const [lastLon, lastLat] = [this.#lon[reference] as number, this.#lat[reference] as number];
    const lastKind = this.#kind[reference] as number;
    this.#step[reference] = step;
    this.#lon[reference] = lon;
    this.#lat[reference] = lat;
    this.#kind[reference] = kind;
    const steps = step - lastStep;
    const wasFollowed = this.#isFollowed[reference] === 1 && kind === lastKind;
    if (steps === 0) {
      this.#isFollowed[reference] = wasFollowed ? 1 : 0;
      return;
    }
    const { west, south, east, north } = area.bbox;
    // The way to here was read if both ends are in the area, which is a box and crosses no 180°.
    const wasRead =
      lastMs >= area.sinceMs && lastLon >= west && lastLon <= east && lastLat >= south && lastLat <= north;
    const isFollowed = lastStep >= 0 && kind === lastKind && steps <= FOLLOWED_STEPS_MAX && wasRead;
    this.#isFollowed[reference] = isFollowed ? 1 : 0;
    if (!isFollowed) return;
    if (wasFollowed) (this.received[this.#cellAt(lastLon, lastLat, kind)] as number)++;
    for (let missed = 1; missed < steps; missed++) {
      const part = missed / steps;
      const cell = this.#cellAt(lastLon + (lon - lastLon) * part, lastLat + (lat - lastLat) * part, kind);
      (this.missed[cell] as number)++;
    }
  }

  restore(key: number, received: number, missed: number): void {
    const cell = this.#cellOf(key);
    (this.received[cell] as number) += received;
    (this.missed[cell] as number) += missed;
  }

  enlarge(size: number): void {
    const { cells, received, missed } = this;
    const larger = size - this.size;
    this.size = size;
    this.cells = new NumberTable();
    this.received = new Uint32Array(64);
    this.missed = new Uint32Array(64);
    for (let cell = 0; cell < cells.size; cell++) {
      const key = cells.at(cell);
      const to = cellKey(columnOfKey(key) >> larger, rowOfKey(key) >> larger, kindOfKey(key));
      this.restore(to, received[cell] as number, missed[cell] as number);
    }
  }

  #cellAt(lon: number, lat: number, kind: number): number {
    return this.#cellOf(cellKey(cellColumnOf(lon) >> this.size, cellRowOf(lat) >> this.size, kind));
  }

  #cellOf(key: number): number {
    const cell = this.cells.add(key);
    if (cell >= this.received.length) {
      this.received = grown(this.received);
      this.missed = grown(this.missed);
    }
    return cell;
  }

  #grow(): void {
    const known = this.#step.length;
    this.#step = grown(this.#step).fill(-1, known);
    this.#lon = grown(this.#lon);
    this.#lat = grown(this.#lat);
    this.#kind = grown(this.#kind);
    this.#isFollowed = grown(this.#isFollowed);
  }
}
