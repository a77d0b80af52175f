import type { RecordColumns } from '../live-frame.ts';

/**
 * Observations of a window as columns, in any order; units, flags and labels are those of `RecordColumns`. `refs` holds each
 * distinct public track reference once; the reference of observation i is `refs[refIndex[i]]`. Records of the past carry no
 * `stale_after`.
 */
export interface ObservationColumns extends Omit<RecordColumns, 'staleAfterMs'> {
  readonly refIndex: Uint32Array;
}
