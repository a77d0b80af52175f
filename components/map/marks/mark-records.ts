import { MARK_COASTED, MARK_EMERGENCY, MARK_SELECTED } from '#lib/picture/mark-style.ts';
import type { Picture } from '#lib/picture/picture.ts';
import { floatHigh, floatLow } from '../webgl/float-pair.ts';

/**
 * One mark for the GPU, in two texels of four words: high x, high y, low x, low y (float32); red, green, blue, opacity (a byte each,
 * from the lowest), style and heading (16 bits each, from the lowest), two words of nothing.
 */
export const MARK_TEXELS = 2;
const MARK_WORDS = 4 * MARK_TEXELS;
const COLOUR_WORD = 4;
const LOOK_WORD = 5;

/** Headings are stored in whole 128ths of a degree: 46,080 values fit 16 bits with room for "not reported". */
export const HEADING_STEPS_PER_DEG = 128;
export const HEADING_UNKNOWN = 0xffff;

/**
 * The marks of a picture in drawing order, as the GPU reads them. Coasted marks come first, then current ones, selected ones, and emergencies
 * on top; within each group the picture's order is kept.
 */
export interface MarkRecords {
  count(): number;
  /** Number of marks that fit; grows and never shrinks. */
  capacity(): number;
  words(): Uint32Array;
  /** Copies the picture. Allocates only if the picture has more marks than fit. */
  pack(picture: Picture): void;
  /** Index in the picture of the mark at a place in the drawing order. */
  indexAt(place: number): number;
  slotAt(place: number): number;
  styleAt(place: number): number;
  mercatorXAt(place: number): number;
  mercatorYAt(place: number): number;
}

const RANKS = 4;

/** Higher ranks are drawn later, on top. */
export function drawRank(style: number): number {
  if ((style & MARK_EMERGENCY) !== 0) return 3;
  if ((style & MARK_SELECTED) !== 0) return 2;
  return (style & MARK_COASTED) === 0 ? 1 : 0;
}

/** @param headingDeg clockwise from north, any value; NaN if not reported */
export function headingSteps(headingDeg: number): number {
  if (!Number.isFinite(headingDeg)) return HEADING_UNKNOWN;
  const remainderDeg = headingDeg % 360;
  return Math.round((remainderDeg < 0 ? remainderDeg + 360 : remainderDeg) * HEADING_STEPS_PER_DEG);
}

export function makeMarkRecords(): MarkRecords {
  let capacity = 0;
  let count = 0;
  let floats = new Float32Array(0);
  let words = new Uint32Array(0);
  let indices = new Uint32Array(0);
  let slots = new Uint32Array(0);
  const nextOfRank = new Uint32Array(RANKS);

  function reserve(wanted: number): void {
    if (wanted <= capacity) return;
    capacity = wanted;
    const buffer = new ArrayBuffer(capacity * MARK_WORDS * 4);
    floats = new Float32Array(buffer);
    words = new Uint32Array(buffer);
    indices = new Uint32Array(capacity);
    slots = new Uint32Array(capacity);
  }

  /** Sets `nextOfRank` to where each rank begins in the drawing order. */
  function rankStarts(picture: Picture): void {
    nextOfRank.fill(0);
    for (let index = 0; index < picture.count; index++) nextOfRank[drawRank(picture.style[index]!)]!++;
    let start = 0;
    for (let rank = 0; rank < RANKS; rank++) {
      const marks = nextOfRank[rank]!;
      nextOfRank[rank] = start;
      start += marks;
    }
  }

  function pack(picture: Picture): void {
    reserve(picture.count > capacity ? picture.capacity : 0);
    rankStarts(picture);
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
      words[word + LOOK_WORD] = style[index]! | (headingSteps(headingDeg[index]!) << 16);
      indices[place] = index;
      slots[place] = slot[index]!;
    }
    count = picture.count;
  }

  return {
    count: () => count,
    capacity: () => capacity,
    words: () => words,
    pack,
    indexAt: (place) => indices[place]!,
    slotAt: (place) => slots[place]!,
    styleAt: (place) => words[place * MARK_WORDS + LOOK_WORD]! & 0xffff,
    mercatorXAt: (place) => floats[place * MARK_WORDS]! + floats[place * MARK_WORDS + 2]!,
    mercatorYAt: (place) => floats[place * MARK_WORDS + 1]! + floats[place * MARK_WORDS + 3]!,
  };
}
