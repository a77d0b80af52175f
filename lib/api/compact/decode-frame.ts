import { restated, type Texts, withAdded, withoutUnused } from './dictionaries.ts';
import { fingerprint } from './fingerprint.ts';
import { readColumn } from './frame-columns.ts';
import type { FrameKind } from './frame-kind.ts';
import { readQuantities } from './frame-quantities.ts';
import { type ReadRows, readRows } from './frame-rows.ts';
import { type FrameReader, frameReader } from './frame-streams.ts';
import { BIT_DRONE, BIT_SIMULATED, BIT_TEST, type QuantisedRecords } from './quantised-records.ts';
import type { RowPlan } from './row-plan.ts';
import { timesFromWords, timeWords } from './time-words.ts';

const ALL_FLAGS = BIT_SIMULATED | BIT_TEST | BIT_DRONE;

export interface DecodedFrame {
  readonly records: QuantisedRecords;
  readonly plan: RowPlan;
}

/** @throws Error where the bytes are no such frame, are damaged, or were not made for `before` */
export function decodeFrame(kind: FrameKind, before: QuantisedRecords, bytes: Uint8Array): DecodedFrame {
  const frame = frameReader(kind, bytes);
  const old = restated(before, withAdded(before, readTexts(frame)));
  const rows = readRows(frame, old, old.stems.length);
  const decoded = withColumns(frame, rows, old);
  if (frame.plain.left > 0) throw new Error('the frame is damaged: it is too long');
  const records = withoutUnused(decoded);
  if (fingerprint(records) !== frame.fingerprint) {
    throw new Error('the frame is damaged, or was made for other records than these');
  }
  return { records, plan: rows.plan };
}

function withColumns(frame: FrameReader, { plan, references }: ReadRows, old: QuantisedRecords): QuantisedRecords {
  const times = timeWords(old.observedAtMs);
  const low = readColumn(frame, plan, times.low);
  const high = readColumn(frame, plan, times.high);
  const observedAtMs = timesFromWords({ low, high });
  const flags = new Uint8Array(readIndexes(frame, plan, new Int32Array(old.flags), ALL_FLAGS + 1));
  const confidence = readIndexes(frame, plan, new Int32Array(old.confidence), old.labels.length);
  const emergency = readIndexes(frame, plan, new Int32Array(old.emergency), old.labels.length);
  return {
    ...references,
    stems: old.stems,
    prefixCount: old.prefixCount,
    labels: old.labels,
    observedAtMs,
    flags,
    confidence,
    emergency,
    quantities: readQuantities(frame, plan, old, observedAtMs),
  };
}

/** A column of numbers from 0 to below `end`. */
function readIndexes(frame: FrameReader, plan: RowPlan, before: Int32Array, end: number): Uint32Array {
  const indexes = new Uint32Array(readColumn(frame, plan, before));
  if (indexes.some((index) => index >= end)) throw new Error('the frame is damaged: there is no such label or flag');
  return indexes;
}

function readTexts({ plain }: FrameReader): Texts {
  const texts = () => Array.from({ length: plain.count(1) }, () => plain.text());
  return { prefixes: texts(), wholes: texts(), labels: texts() };
}
