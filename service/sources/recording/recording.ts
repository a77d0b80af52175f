import type { Layer } from '#lib/contract/operation.ts';

/**
 * One recording in columns. Row r is a position of track `track[r]`, `offsetMs[r]` ms after the first row. Rows are
 * sorted by time. NaN means "not recorded". The rows of track i, sorted by time, are `rowsByTrack[trackStart[i]]` …
 * `rowsByTrack[trackStart[i + 1] - 1]`.
 */
export interface Recording {
  /** The file's path. It keeps the ids of two recordings apart. */
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

/** Offset of the last row, in ms. */
export function spanMs(recording: Recording): number {
  return recording.offsetMs[recording.rowCount - 1] ?? 0;
}
