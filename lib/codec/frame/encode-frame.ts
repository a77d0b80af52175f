import { LABEL_NAMES } from '#lib/model/record-fields.ts';
import type { EntropyStage } from '../entropy/entropy-stage.ts';
import { fingerprint } from '../fingerprint.ts';
import { tagged } from '../format-version.ts';
import { NO_RECORDS, type QuantisedRecords } from '../quantised-records.ts';
import { addedTexts, restated, type Texts, withAddedTexts } from './dictionaries.ts';
import { writeFrameColumn, writeFrameTimes } from './frame-columns.ts';
import { FRAME_STAGE, type FrameWriter, frameWriter } from './frame-parts.ts';
import { writeQuantities } from './frame-quantities.ts';
import { writeRows } from './frame-rows.ts';
import { writeText } from './plain-reader.ts';
import { planRows } from './row-plan.ts';

/** A self-contained frame, not compressed. */
export function encodeFull(records: QuantisedRecords): Uint8Array {
  return tagged('full', ...encodeFrame(NO_RECORDS, records));
}

/** A frame that transforms any set of records into any other, not compressed. */
export function encodeDelta(before: QuantisedRecords, after: QuantisedRecords): Uint8Array {
  return tagged('delta', ...encodeFrame(before, after));
}

/**
 * A frame without its tag, in consecutive pieces (drawn in docs/wire.md):
 *
 *     texts missing in `before`: prefixes, whole references, labels
 *     records of `before` that are gone and that changed; references of new records
 *     columns of changed and new records: times, flags, labels, then the quantities
 */
export function encodeFrame(
  before: QuantisedRecords,
  after: QuantisedRecords,
  stage: EntropyStage = FRAME_STAGE,
): readonly Uint8Array[] {
  const frame = frameWriter(fingerprint(after), stage);
  const added = addedTexts(before, after);
  writeTexts(frame, added);
  const dictionaries = withAddedTexts(before, added);
  const old = restated(before, dictionaries);
  const fresh = restated(after, dictionaries);
  const plan = planRows(old, fresh);
  writeRows(frame, plan, fresh);
  writeFrameTimes(frame, plan, old.observedAtMs, fresh.observedAtMs);
  writeFrameColumn(frame, plan, new Int32Array(old.flags), new Int32Array(fresh.flags));
  for (const name of LABEL_NAMES) {
    writeFrameColumn(frame, plan, new Int32Array(old.labelIndexes[name]), new Int32Array(fresh.labelIndexes[name]));
  }
  writeQuantities(frame, plan, old, fresh);
  return frame.finish();
}

function writeTexts({ plain }: FrameWriter, { prefixes, wholes, labels }: Texts): void {
  for (const texts of [prefixes, wholes, labels]) {
    plain.writeVarint(texts.length);
    for (const text of texts) writeText(plain, text);
  }
}
