import { decodeFrame } from '#lib/codec/frame.ts';
import { columnsOf, type RecordColumns, referenceIndexes } from '#lib/codec/record-columns.ts';

/**
 * Observations of a window as columns, in any order; units, flags and labels are those of `RecordColumns`. `refs` contains the
 * distinct public track references; the reference of observation i is `refs[refIndex[i]]`. Historical records have no
 * `stale_after`.
 */
export interface ObservationColumns extends Omit<RecordColumns, 'staleAfterMs'> {
  readonly refIndex: Uint32Array;
}

/**
 * Decodes the body of a part.
 * @throws Error if the bytes are damaged, or of another version of the format
 */
export function openObservations(bytes: Uint8Array): ObservationColumns {
  const { records } = decodeFrame(bytes);
  const { staleAfterMs: _, ...columns } = columnsOf(records);
  return { ...columns, refs: records.refs, refIndex: referenceIndexes(records) };
}
