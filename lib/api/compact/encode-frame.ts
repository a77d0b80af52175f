import { ByteWriter } from './byte-writer.ts';
import { addedTexts, restated, type Texts, withAdded } from './dictionaries.ts';
import { fingerprint } from './fingerprint.ts';
import { writeColumn } from './frame-columns.ts';
import type { FrameKind } from './frame-kind.ts';
import { writeQuantities } from './frame-quantities.ts';
import { writeRows } from './frame-rows.ts';
import { planRows } from './plan-rows.ts';
import type { QuantisedRecords } from './quantised-records.ts';
import { timeWords } from './time-words.ts';

/**
 * What leads from one set of records to another:
 *
 *     kind and version (1 byte), fingerprint of `after` (4 bytes)
 *     texts that `before` does not have: prefixes, whole references, labels
 *     records of `before` that are gone, that differ; references of new ones
 *     columns of those that differ or are new: time (two words), flags, confidence, emergency, then the quantities
 */
export function encodeFrame(kind: FrameKind, before: QuantisedRecords, after: QuantisedRecords): Uint8Array {
  const writer = new ByteWriter();
  writer.byte(kind);
  writer.uint32(fingerprint(after));
  const added = addedTexts(before, after);
  writeTexts(writer, added);
  const dictionaries = withAdded(before, added);
  const old = restated(before, dictionaries);
  const fresh = restated(after, dictionaries);
  const plan = planRows(old, fresh);
  writeRows(writer, plan, fresh);
  const [oldTimes, freshTimes] = [timeWords(old.observedAtMs), timeWords(fresh.observedAtMs)];
  writeColumn(writer, plan, oldTimes.low, freshTimes.low);
  writeColumn(writer, plan, oldTimes.high, freshTimes.high);
  for (const name of ['flags', 'confidence', 'emergency'] as const) {
    writeColumn(writer, plan, Int32Array.from(old[name]), Int32Array.from(fresh[name]));
  }
  writeQuantities(writer, plan, old, fresh);
  return writer.written();
}

function writeTexts(writer: ByteWriter, { prefixes, wholes, labels }: Texts): void {
  for (const texts of [prefixes, wholes, labels]) {
    writer.varint(texts.length);
    for (const text of texts) writer.text(text);
  }
}
