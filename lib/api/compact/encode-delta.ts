import { encodeFrame } from './encode-frame.ts';
import { DELTA_FRAME } from './frame-kind.ts';
import type { QuantisedRecords } from './quantised-records.ts';

/** A frame that leads from one set of records to another, whatever they are; not compressed yet. */
export function encodeDelta(before: QuantisedRecords, after: QuantisedRecords): Uint8Array {
  return encodeFrame(DELTA_FRAME, before, after);
}
