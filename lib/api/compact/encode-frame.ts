import { addedTexts, restated, type Texts, withAdded } from './dictionaries.ts';
import { fingerprint } from './fingerprint.ts';
import { writeColumn } from './frame-columns.ts';
import type { FrameKind } from './frame-kind.ts';
import { writeQuantities } from './frame-quantities.ts';
import { writeRows } from './frame-rows.ts';
import { type FrameWriter, frameWriter } from './frame-streams.ts';
import { planRows } from './plan-rows.ts';
import type { QuantisedRecords } from './quantised-records.ts';
import { timeWords } from './time-words.ts';

/**
 * What leads from one set of records to another, with the fingerprint of `after`:
 *
 *     texts that `before` does not have: prefixes, whole references, labels
 *     records of `before` that are gone, that differ; references of new ones
 *     columns of those that differ or are new: time (two words), flags, confidence, emergency, then the quantities
 */
export function encodeFrame(kind: FrameKind, before: QuantisedRecords, after: QuantisedRecords): Uint8Array {
  const frame = frameWriter(kind, fingerprint(after));
  const added = addedTexts(before, after);
  writeTexts(frame, added);
  const dictionaries = withAdded(before, added);
  const old = restated(before, dictionaries);
  const fresh = restated(after, dictionaries);
  const plan = planRows(old, fresh);
  writeRows(frame, plan, fresh);
  const [oldTimes, freshTimes] = [timeWords(old.observedAtMs), timeWords(fresh.observedAtMs)];
  writeColumn(frame, plan, oldTimes.low, freshTimes.low);
  writeColumn(frame, plan, oldTimes.high, freshTimes.high);
  for (const name of ['flags', 'confidence', 'emergency'] as const) {
    writeColumn(frame, plan, new Int32Array(old[name]), new Int32Array(fresh[name]));
  }
  writeQuantities(frame, plan, old, fresh);
  return frame.finish();
}

function writeTexts({ plain }: FrameWriter, { prefixes, wholes, labels }: Texts): void {
  for (const texts of [prefixes, wholes, labels]) {
    plain.varint(texts.length);
    for (const text of texts) plain.text(text);
  }
}
