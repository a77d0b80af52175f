import { byName, FLAGS_END, LABEL_NAMES } from '#lib/model/record-fields.ts';
import type { EntropyStage } from '../entropy/entropy-stage.ts';
import { fingerprint } from '../fingerprint.ts';
import { untagged } from '../format-version.ts';
import { NO_RECORDS, type QuantisedRecords, referenceAt } from '../quantised-records.ts';
import { restated, type Texts, withAddedTexts, withoutUnused } from './dictionaries.ts';
import { readFrameColumn, readFrameTimes } from './frame-columns.ts';
import { FRAME_STAGE, type FrameReader, frameReader } from './frame-parts.ts';
import { readQuantities } from './frame-quantities.ts';
import { type ReadRows, readRows } from './frame-rows.ts';
import type { RowPlan } from './row-plan.ts';

/** @throws Error if the bytes are not a full frame of this version, or damaged */
export function decodeFull(bytes: Uint8Array): QuantisedRecords {
  return decodeFrame(NO_RECORDS, untagged('full', bytes)).records;
}

export interface AppliedDelta {
  readonly records: QuantisedRecords;
  /** Indexes into `records` of those that are new or differ, ascending. */
  readonly changed: Uint32Array;
  /** References of `before` that no longer exist. */
  readonly gone: readonly string[];
}

/** @throws Error if the bytes are not a delta of this version, damaged, or made from other records than `before` */
export function applyDelta(before: QuantisedRecords, bytes: Uint8Array): AppliedDelta {
  const { records, plan } = decodeFrame(before, untagged('delta', bytes));
  return { records, changed: plan.written, gone: Array.from(plan.gone, (index) => referenceAt(before, index)) };
}

export interface DecodedFrame {
  readonly records: QuantisedRecords;
  readonly plan: RowPlan;
}

/**
 * Decodes a frame without its tag.
 * @throws Error if the bytes are not a frame, damaged, or made from other records than `before`
 */
export function decodeFrame(
  before: QuantisedRecords,
  bytes: Uint8Array,
  stage: EntropyStage = FRAME_STAGE,
): DecodedFrame {
  const frame = frameReader(bytes, stage);
  const old = restated(before, withAddedTexts(before, readTexts(frame)));
  const rows = readRows(frame, old, old.prefixes.length);
  const decoded = withColumns(frame, rows, old);
  if (frame.plain.left > 0) throw new Error('the frame is damaged: it is too long');
  const records = withoutUnused(decoded);
  if (fingerprint(records) !== frame.fingerprint) {
    throw new Error('the frame is damaged, or was made for other records than these');
  }
  return { records, plan: rows.plan };
}

function withColumns(frame: FrameReader, { plan, references }: ReadRows, old: QuantisedRecords): QuantisedRecords {
  const { prefixes, wholeFrom, labels } = old;
  const observedAtMs = readFrameTimes(frame, plan, old.observedAtMs);
  const flags = new Uint8Array(readIndexes(frame, plan, new Int32Array(old.flags), FLAGS_END));
  const labelIndexes = byName(LABEL_NAMES, (name) =>
    readIndexes(frame, plan, new Int32Array(old.labelIndexes[name]), labels.length),
  );
  const quantities = readQuantities(frame, plan, old, observedAtMs);
  return { ...references, prefixes, wholeFrom, labels, observedAtMs, flags, labelIndexes, quantities };
}

/** A column of integers from 0 (inclusive) to `end` (exclusive). */
function readIndexes(frame: FrameReader, plan: RowPlan, before: Int32Array, end: number): Uint32Array {
  const indexes = new Uint32Array(readFrameColumn(frame, plan, before));
  if (indexes.some((index) => index >= end)) throw new Error('the frame is damaged: there is no such label or flag');
  return indexes;
}

function readTexts({ plain }: FrameReader): Texts {
  const texts = () => Array.from({ length: plain.count(1) }, () => plain.text());
  return { prefixes: texts(), wholes: texts(), labels: texts() };
}
