import type { Layer } from '#lib/contract/operation.ts';

/**
 * One recording in columns. Row r is the position of track `track[r]` at `offsetMs[r]` ms after the recording's first; rows
 * are sorted by time. NaN is "not recorded". The rows of track i, in order of time, are
 * `rowsByTrack[trackStart[i]]` … `rowsByTrack[trackStart[i + 1] - 1]`.
 */
export interface Recording {
  /** The file's path: without it the ids of two recordings could meet. */
  readonly name: string;
  readonly layer: Layer;
  readonly rowCount: number;
  readonly trackIds: readonly string[];
  readonly offsetMs: Float64Array;
  readonly track: Uint32Array;
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  readonly altitudeM: Float64Array;
  readonly heightAglM: Float64Array;
  readonly speedMps: Float64Array;
  readonly headingDeg: Float64Array;
  readonly trackStart: Uint32Array;
  readonly rowsByTrack: Uint32Array;
}

/** Offset of the last row. */
export function spanMs(recording: Recording): number {
  return recording.offsetMs[recording.rowCount - 1] ?? 0;
}
