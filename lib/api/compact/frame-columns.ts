import type { FrameReader, FrameWriter } from './frame-streams.ts';
import { readIntColumn, writeIntColumn } from './int-column.ts';
import { valuesBefore } from './predict-rows.ts';
import { KEPT_EXACTLY } from './quantised-records.ts';
import type { RowPlan } from './row-plan.ts';

type Rows = Pick<RowPlan, 'from' | 'written'>;

/**
 * What a new row's value is predicted as: a value of `before`; where that has no records, one from the middle of the column,
 * which is written.
 */
export function writeBase(frame: FrameWriter, before: Int32Array, after: Int32Array): number {
  if (before.length > 0) return baseIn(before);
  const base = middleValue(after);
  frame.plain.signedVarint(base);
  return base;
}

export function readBase(frame: FrameReader, before: Int32Array): number {
  return before.length > 0 ? baseIn(before) : frame.plain.signedVarint();
}

/** A column without exceptions, its written rows only. */
export function writeColumn(frame: FrameWriter, rows: Rows, before: Int32Array, after: Int32Array): void {
  writePredicted(frame, rows, after, valuesBefore(before, rows, writeBase(frame, before, after)));
}

export function readColumn(frame: FrameReader, rows: Rows, before: Int32Array): Int32Array {
  const after = carriedOver(before, rows.from);
  readPredicted(frame, rows, after, valuesBefore(before, rows, readBase(frame, before)));
  return after;
}

/** Written rows as differences to `predicted`; those without a whole number of units as 0. */
export function writePredicted(frame: FrameWriter, rows: Rows, after: Int32Array, predicted: Int32Array): void {
  const differences = new Int32Array(rows.written.length);
  for (let at = 0; at < differences.length; at++) {
    const value = after[rows.written[at] as number] as number;
    if (value > KEPT_EXACTLY) differences[at] = value - (predicted[at] as number);
  }
  writeIntColumn(frame, differences);
}

export function readPredicted(frame: FrameReader, rows: Rows, after: Int32Array, predicted: Int32Array): void {
  const differences = readIntColumn(frame, rows.written.length);
  for (let at = 0; at < differences.length; at++) {
    after[rows.written[at] as number] = (predicted[at] as number) + (differences[at] as number);
  }
}

/** `before` in the rows of `after`; 0 in new ones. */
export function carriedOver(before: Int32Array, from: Int32Array): Int32Array {
  const after = new Int32Array(from.length);
  for (let index = 0; index < from.length; index++) after[index] = before[from[index] as number] ?? 0;
  return after;
}

function baseIn(before: Int32Array): number {
  return before.find((value) => value > KEPT_EXACTLY) ?? 0;
}

const SAMPLES = 63;

function middleValue(column: Int32Array): number {
  const step = Math.max(1, Math.floor(column.length / SAMPLES));
  const sampled = column.filter((value, index) => index % step === 0 && value > KEPT_EXACTLY).sort();
  return sampled[sampled.length >> 1] ?? 0;
}
