import { decodeFrame } from './decode-frame.ts';
import { DELTA_FRAME } from './frame-kind.ts';
import { type QuantisedRecords, referenceAt } from './quantised-records.ts';

export interface AppliedDelta {
  readonly records: QuantisedRecords;
  /** Indexes into `records` of those that are new or differ, ascending. */
  readonly changed: Uint32Array;
  /** References that stood in `before` and are no longer there. */
  readonly gone: readonly string[];
}

/** @throws Error where the bytes are no delta of this version, a damaged one, or one from other records than `before` */
export function applyDelta(before: QuantisedRecords, bytes: Uint8Array): AppliedDelta {
  const { records, plan } = decodeFrame(DELTA_FRAME, before, bytes);
  return { records, changed: plan.written, gone: Array.from(plan.gone, (index) => referenceAt(before, index)) };
}
