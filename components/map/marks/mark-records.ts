import { wrapBearing } from '#lib/geo/longitude.ts';
import { FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { MARK_EMERGENCY, MARK_EXPIRED, MARK_SELECTED } from '#lib/picture/mark-style.ts';
import type { Picture } from '#lib/picture/picture.ts';
import { floatHigh, floatLow } from '../webgl/quads.ts';

/**
 * The record of a mark has two texels of four words:
 * - high x, high y, low x, low y (float32)
 * - red, green, blue, opacity (a byte each, from the lowest)
 * - style and heading (16 bits each, from the lowest)
 * - two unused words
 */
export const MARK_TEXELS = 2;
const MARK_WORDS = 4 * MARK_TEXELS;
const COLOUR_WORD = 4;
const LOOK_WORD = 5;
const UNUSED_WORDS = 2;

/** 46,080 values fit 16 bits with room for "not reported". */
export const HEADING_STEPS_PER_DEG = 128;
export const HEADING_UNKNOWN = 0xffff;

/**
 * The records of marks in drawing order: plain, tests, selected, emergencies on top; in each, drones above aircraft,
 * and plain current marks above expired ones. Clears `FLAG_SIMULATED`, the stripes, where every mark is simulated.
 */
export interface MarkRecords {
  count(): number;
  /** The number of aircraft without decorations, which are drawn first. */
  plainAircraft(): number;
  /** The number of drones without decorations, which are drawn next. */
  plainDrones(): number;
  words(): Uint32Array;
  /** Allocates only if the picture has more marks than fit. */
  pack(picture: Picture): void;
  /** Where the last `pack` changed marks, including positions before and after. */
  changeWithin(bounds: MercatorBounds): 'none' | 'outside' | 'inside';
  indexAt(place: number): number;
  slotAt(place: number): number;
  styleAt(place: number): number;
  mercatorXAt(place: number): number;
  mercatorYAt(place: number): number;
}

/** Bounds in Mercator 0…1, and beyond where the view shows several world copies. */
export interface MercatorBounds {
  readonly west: number;
  readonly east: number;
  readonly north: number;
  readonly south: number;
}

const RANKS = 10;
const FIRST_DRONE_RANK = 2;
const FIRST_DECORATED_RANK = 4;

export function drawRank(style: number): number {
  const isDrone = (style & FLAG_DRONE) === 0 ? 0 : 1;
  if ((style & MARK_EMERGENCY) !== 0) return 8 + isDrone;
  if ((style & MARK_SELECTED) !== 0) return 6 + isDrone;
  if ((style & FLAG_TEST) !== 0) return FIRST_DECORATED_RANK + isDrone;
  return FIRST_DRONE_RANK * isDrone + ((style & MARK_EXPIRED) === 0 ? 1 : 0);
}

export function headingSteps(headingDeg: number): number {
  if (!Number.isFinite(headingDeg)) return HEADING_UNKNOWN;
  return Math.round(wrapBearing(headingDeg) * HEADING_STEPS_PER_DEG);
}

export function makeMarkRecords(): MarkRecords {
  let count = 0;
  let plainAircraft = 0;
  let plain = 0;
  let floats = new Float32Array(0);
  let words = new Uint32Array(0);
  let floatsBefore = new Float32Array(0);
  let wordsBefore = new Uint32Array(0);
  let countBefore = 0;
  let indices = new Uint32Array(0);
  let slots = new Uint32Array(0);
  const nextOfRank = new Uint32Array(RANKS);

  function keepBefore(): void {
    [floats, floatsBefore] = [floatsBefore, floats];
    [words, wordsBefore] = [wordsBefore, words];
    countBefore = count;
  }

  function reserve(wanted: number, capacity: number): void {
    if (wanted * MARK_WORDS > floats.length) {
      floats = new Float32Array(capacity * MARK_WORDS);
      words = new Uint32Array(floats.buffer);
    }
    if (wanted <= slots.length) return;
    indices = new Uint32Array(capacity);
    slots = new Uint32Array(capacity);
  }

  function rankStarts(picture: Picture): number {
    nextOfRank.fill(0);
    let common = 0xffff;
    for (let index = 0; index < picture.count; index++) {
      const style = picture.style[index]!;
      common &= style;
      nextOfRank[drawRank(style)]!++;
    }
    let start = 0;
    for (let rank = 0; rank < RANKS; rank++) {
      const marks = nextOfRank[rank]!;
      nextOfRank[rank] = start;
      start += marks;
    }
    return common;
  }

  function pack(picture: Picture): void {
    keepBefore();
    reserve(picture.count, picture.capacity);
    const shownBits = ~(rankStarts(picture) & FLAG_SIMULATED);
    plainAircraft = nextOfRank[FIRST_DRONE_RANK]!;
    plain = nextOfRank[FIRST_DECORATED_RANK]!;
    const { mercatorX, mercatorY, colour, style, headingDeg, slot } = picture;
    const colours = new Uint32Array(colour.buffer, colour.byteOffset, picture.count);
    for (let index = 0; index < picture.count; index++) {
      const place = nextOfRank[drawRank(style[index]!)]!++;
      const word = place * MARK_WORDS;
      const x = mercatorX[index]!;
      const y = mercatorY[index]!;
      floats[word] = floatHigh(x);
      floats[word + 1] = floatHigh(y);
      floats[word + 2] = floatLow(x);
      floats[word + 3] = floatLow(y);
      words[word + COLOUR_WORD] = colours[index]!;
      words[word + LOOK_WORD] = (style[index]! & shownBits) | (headingSteps(headingDeg[index]!) << 16);
      indices[place] = index;
      slots[place] = slot[index]!;
    }
    count = picture.count;
  }

  function isSame(place: number): boolean {
    const end = (place + 1) * MARK_WORDS - UNUSED_WORDS;
    for (let word = place * MARK_WORDS; word < end; word++) if (words[word] !== wordsBefore[word]) return false;
    return true;
  }

  function changeWithin(bounds: MercatorBounds): 'none' | 'outside' | 'inside' {
    const both = Math.min(count, countBefore);
    let change: 'none' | 'outside' = count === countBefore ? 'none' : 'outside';
    for (let place = 0; place < both; place++) {
      if (isSame(place)) continue;
      if (isWithin(bounds, floats, place) || isWithin(bounds, floatsBefore, place)) return 'inside';
      change = 'outside';
    }
    for (let place = both; place < count; place++) if (isWithin(bounds, floats, place)) return 'inside';
    for (let place = both; place < countBefore; place++) if (isWithin(bounds, floatsBefore, place)) return 'inside';
    return change;
  }

  return {
    count: () => count,
    plainAircraft: () => plainAircraft,
    plainDrones: () => plain - plainAircraft,
    words: () => words,
    pack,
    changeWithin,
    indexAt: (place) => indices[place]!,
    slotAt: (place) => slots[place]!,
    styleAt: (place) => words[place * MARK_WORDS + LOOK_WORD]! & 0xffff,
    mercatorXAt: (place) => floats[place * MARK_WORDS]! + floats[place * MARK_WORDS + 2]!,
    mercatorYAt: (place) => floats[place * MARK_WORDS + 1]! + floats[place * MARK_WORDS + 3]!,
  };
}

/** Single precision is enough: the bounds have a margin. */
function isWithin(bounds: MercatorBounds, floats: Float32Array, place: number): boolean {
  const x = floats[place * MARK_WORDS]!;
  const y = floats[place * MARK_WORDS + 1]!;
  return y >= bounds.north && y <= bounds.south && x + Math.ceil(bounds.west - x) <= bounds.east;
}
