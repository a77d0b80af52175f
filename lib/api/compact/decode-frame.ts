import { ByteReader } from './byte-reader.ts';
import { restated, type Texts, withAdded, withoutUnused } from './dictionaries.ts';
import { fingerprint } from './fingerprint.ts';
import { readColumn } from './frame-columns.ts';
import type { FrameKind } from './frame-kind.ts';
import { readQuantities } from './frame-quantities.ts';
import { type ReadRows, readRows } from './frame-rows.ts';
import { BIT_DRONE, BIT_SIMULATED, BIT_TEST, type QuantisedRecords } from './quantised-records.ts';
import type { RowPlan } from './row-plan.ts';
import { timeFromWords, timeWords } from './time-words.ts';

const ALL_FLAGS = BIT_SIMULATED | BIT_TEST | BIT_DRONE;

export interface DecodedFrame {
  readonly records: QuantisedRecords;
  readonly plan: RowPlan;
}

/** @throws Error where the bytes are no such frame, are damaged, or were not made for `before` */
export function decodeFrame(kind: FrameKind, before: QuantisedRecords, bytes: Uint8Array): DecodedFrame {
  const reader = new ByteReader(bytes);
  if (reader.byte() !== kind) throw new Error('this is no frame of this kind and version');
  const expected = reader.uint32();
  const old = restated(before, withAdded(before, readTexts(reader)));
  const rows = readRows(reader, old, old.stems.length);
  const decoded = withColumns(reader, rows, old);
  if (reader.left > 0) throw new Error('the frame is damaged: it is too long');
  const records = withoutUnused(decoded);
  if (fingerprint(records) !== expected) {
    throw new Error('the frame is damaged, or was made for other records than these');
  }
  return { records, plan: rows.plan };
}

function withColumns(reader: ByteReader, { plan, references }: ReadRows, old: QuantisedRecords): QuantisedRecords {
  const times = timeWords(old.observedAtMs);
  const low = readColumn(reader, plan, times.low);
  const high = readColumn(reader, plan, times.high);
  const observedAtMs = Float64Array.from(low, (word, index) => timeFromWords(word, high[index] as number));
  const flags = Uint8Array.from(readIndexes(reader, plan, Int32Array.from(old.flags), ALL_FLAGS + 1));
  const confidence = readIndexes(reader, plan, Int32Array.from(old.confidence), old.labels.length);
  const emergency = readIndexes(reader, plan, Int32Array.from(old.emergency), old.labels.length);
  return {
    ...references,
    stems: old.stems,
    prefixCount: old.prefixCount,
    labels: old.labels,
    observedAtMs,
    flags,
    confidence,
    emergency,
    quantities: readQuantities(reader, plan, old, observedAtMs),
  };
}

/** A column of numbers from 0 to below `end`. */
function readIndexes(reader: ByteReader, plan: RowPlan, before: Int32Array, end: number): Uint32Array {
  const indexes = Uint32Array.from(readColumn(reader, plan, before));
  if (indexes.some((index) => index >= end)) throw new Error('the frame is damaged: there is no such label or flag');
  return indexes;
}

function readTexts(reader: ByteReader): Texts {
  const texts = () => Array.from({ length: reader.count(1) }, () => reader.text());
  return { prefixes: texts(), wholes: texts(), labels: texts() };
}
