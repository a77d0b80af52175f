import type { Layer } from '#lib/contract/operation.ts';

/**
 * Rows are sorted by time; `offsetMs` counts from the first. NaN means "not recorded". Track i has the rows
 * `rowsByTrack[trackStart[i]]` … `rowsByTrack[trackStart[i + 1] - 1]`.
 */
export interface Recording {
  /** Keeps ids of two recordings apart. */
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

export function spanMs(recording: Recording): number {
  return recording.offsetMs[recording.rowCount - 1] ?? 0;
}
