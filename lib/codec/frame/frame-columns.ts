import { KEPT_EXACTLY } from '../quantised-records.ts';
import type { FrameReader, FrameWriter } from './frame-parts.ts';
import { NEW, type RowPlan } from './row-plan.ts';

type Rows = Pick<RowPlan, 'from' | 'written'>;

const WORD = 2 ** 32;
const MAX_STRIDE = 0x80000000;

/** Writes the written rows of a column whose values are all whole steps. */
export function writeFrameColumn(frame: FrameWriter, rows: Rows, before: Int32Array, after: Int32Array): void {
  writePredicted(frame, rows, after, valuesBefore(before, rows, writeBase(frame, before, after)));
}

export function readFrameColumn(frame: FrameReader, rows: Rows, before: Int32Array): Int32Array {
  const after = carriedOver(before, rows.from);
  readPredicted(frame, rows, after, valuesBefore(before, rows, readBase(frame, before)));
  return after;
}

/** Writes epoch milliseconds as two 32-bit columns: differences are small in the low words and mostly 0 in the high words. */
export function writeFrameTimes(frame: FrameWriter, rows: Rows, before: Float64Array, after: Float64Array): void {
  writeFrameColumn(frame, rows, lowWords(before), lowWords(after));
  writeFrameColumn(frame, rows, highWords(before), highWords(after));
}

export function readFrameTimes(frame: FrameReader, rows: Rows, before: Float64Array): Float64Array {
  const low = readFrameColumn(frame, rows, lowWords(before));
  const high = readFrameColumn(frame, rows, highWords(before));
  const times = new Float64Array(low.length);
  for (let index = 0; index < times.length; index++) {
    times[index] = (high[index] as number) * WORD + ((low[index] as number) >>> 0);
  }
  return times;
}

function lowWords(ms: Float64Array): Int32Array {
  const words = new Int32Array(ms.length);
  for (let index = 0; index < ms.length; index++) words[index] = ms[index] as number;
  return words;
}

function highWords(ms: Float64Array): Int32Array {
  const words = new Int32Array(ms.length);
  for (let index = 0; index < ms.length; index++) words[index] = Math.floor((ms[index] as number) / WORD);
  return words;
}

/**
 * The predicted value of new rows: a value of `before` or, if that is empty, a median of the column, which is written to the
 * frame.
 */
export function writeBase(frame: FrameWriter, before: Int32Array, after: Int32Array): number {
  if (before.length > 0) return baseIn(before);
  const base = middleValue(after);
  frame.plain.writeSVarint(base);
  return base;
}

export function readBase(frame: FrameReader, before: Int32Array): number {
  return before.length > 0 ? baseIn(before) : frame.plain.signedVarint();
}

/** The previous value of each written row; `base` if the row is new or its value was not a whole number of steps. */
export function valuesBefore(column: Int32Array, { from, written }: Rows, base: number): Int32Array {
  const values = new Int32Array(written.length);
  for (let at = 0; at < written.length; at++) {
    const indexBefore = from[written[at] as number] as number;
    const value = indexBefore === NEW ? KEPT_EXACTLY : (column[indexBefore] as number);
    values[at] = value > KEPT_EXACTLY ? value : base;
  }
  return values;
}

/** Writes the written rows as differences to `predicted`; values that are not whole steps are written as 0. */
export function writePredicted(frame: FrameWriter, rows: Rows, after: Int32Array, predicted: Int32Array): void {
  const differences = new Int32Array(rows.written.length);
  for (let at = 0; at < differences.length; at++) {
    const value = after[rows.written[at] as number] as number;
    if (value > KEPT_EXACTLY) differences[at] = value - (predicted[at] as number);
  }
  writeDifferences(frame, differences);
}

export function readPredicted(frame: FrameReader, rows: Rows, after: Int32Array, predicted: Int32Array): void {
  const differences = readDifferences(frame, rows.written.length);
  for (let at = 0; at < differences.length; at++) {
    after[rows.written[at] as number] = (predicted[at] as number) + (differences[at] as number);
  }
}

/** The values of `before`, rearranged to the new rows; 0 in new ones. */
export function carriedOver(before: Int32Array, from: Int32Array): Int32Array {
  const after = new Int32Array(from.length);
  for (let index = 0; index < from.length; index++) after[index] = before[from[index] as number] ?? 0;
  return after;
}

/**
 * Writes prediction errors, divided by their greatest common divisor, the stride (altitudes are multiples of 25 ft, scores of
 * 0.01). A column of zeros has the stride 0 and takes one byte. Modifies `differences`.
 */
export function writeDifferences({ plain, coded }: FrameWriter, differences: Int32Array): void {
  const stride = commonStride(differences);
  plain.writeVarint(stride);
  if (stride === 0) return;
  for (let at = 0; at < differences.length; at++) differences[at] = (differences[at] as number) / stride;
  coded.write(differences);
}

/** @throws Error if the stride is out of range */
export function readDifferences({ plain, coded }: FrameReader, count: number): Int32Array {
  const stride = plain.varint();
  if (stride > MAX_STRIDE) throw new Error('the frame is damaged: a column has no such stride');
  const differences = new Int32Array(count);
  if (stride === 0) return differences;
  coded.read(differences);
  for (let at = 0; at < count; at++) differences[at] = Math.imul(differences[at] as number, stride);
  return differences;
}

/** The greatest common divisor; 0 if all are zero. */
function commonStride(differences: Int32Array): number {
  let stride = 0;
  for (let at = 0; at < differences.length && stride !== 1; at++) {
    let rest = Math.abs(differences[at] as number);
    while (rest !== 0) {
      const divisor = rest;
      rest = stride % divisor;
      stride = divisor;
    }
  }
  return stride;
}

function baseIn(before: Int32Array): number {
  return before.find((value) => value > KEPT_EXACTLY) ?? 0;
}

const MAX_SAMPLES = 63;

function middleValue(column: Int32Array): number {
  const step = Math.max(1, Math.floor(column.length / MAX_SAMPLES));
  const sampled = column.filter((value, index) => index % step === 0 && value > KEPT_EXACTLY).sort();
  return sampled[sampled.length >> 1] ?? 0;
}
