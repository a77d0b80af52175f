import { decodeFrame } from './decode-frame.ts';
import { FULL_FRAME } from './frame-kind.ts';
import { NO_RECORDS, type QuantisedRecords } from './quantised-records.ts';

/** @throws Error where the bytes are no full frame of this version, or a damaged one */
export function decodeFull(bytes: Uint8Array): QuantisedRecords {
  return decodeFrame(FULL_FRAME, NO_RECORDS, bytes).records;
}
