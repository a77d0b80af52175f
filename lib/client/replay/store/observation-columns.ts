import { decodeFrame } from '#lib/codec/frame.ts';
import { columnsOf, type RecordColumns, referenceIndexes } from '#lib/codec/record-columns.ts';

/**
 * In any order; units, flags and labels as in `RecordColumns`. `refs` are distinct; observation i has
 * `refs[refIndex[i]]`.
 */
export interface ObservationColumns extends Omit<RecordColumns, 'staleAfterMs'> {
  readonly refIndex: Uint32Array;
}

/** @throws Error if the bytes are damaged, or of another version of the format */
export function openObservations(bytes: Uint8Array): ObservationColumns {
  const { records } = decodeFrame(bytes);
  const { staleAfterMs: _, ...columns } = columnsOf(records);
  return { ...columns, refs: records.refs, refIndex: referenceIndexes(records) };
}
