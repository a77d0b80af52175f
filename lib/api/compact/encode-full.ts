import { encodeFrame } from './encode-frame.ts';
import { FULL_FRAME } from './frame-kind.ts';
import { NO_RECORDS, type QuantisedRecords } from './quantised-records.ts';

/** A frame that needs nothing else; not compressed yet. */
export function encodeFull(records: QuantisedRecords): Uint8Array {
  return encodeFrame(FULL_FRAME, NO_RECORDS, records);
}
