import type { Layer } from '#lib/contract/operation.ts';
import { epochMs, parseInstant } from '#lib/time/instant.ts';

/** One line of a recording. `t` is when it was received, in ms since 1970; `null` means "not recorded". */
export interface RecordedPosition {
  readonly t: number;
  readonly id: string;
  readonly lon: number;
  readonly lat: number;
  readonly altitudeM: number | null;
  readonly heightAglM: number | null;
  readonly speedMps: number | null;
  readonly headingDeg: number | null;
}

/** `no-position`: a valid line of a sender without a fix, which reports 0,0. `bad`: a malformed line. */
export type RecordingLine = RecordedPosition | 'no-position' | 'bad';

/**
 * Values that mean "unknown" in Remote ID (ASTM F3411-22a: speed 255 m/s, direction 361°, altitude and height -1000 m).
 * Some receivers record them as if they were measured.
 */
const RID_UNKNOWN = { altitudeM: -1000, heightAglM: -1000, speedMps: 255, headingDeg: 361 };

/**
 * Reads one line of the gzipped JSON Lines format `{t, id, lon, lat, alt_m, agl_m, gs_mps, trk_deg}`; other fields are
 * ignored.
 */
export function readRecordingLine(text: string, layer: Layer): RecordingLine {
  const line = parseObject(text);
  if (line === undefined) return 'bad';
  const t = typeof line.t === 'string' ? parseInstant(line.t) : undefined;
  const { id, lon, lat } = line;
  if (t === undefined || typeof id !== 'string' || id === '') return 'bad';
  if (!isWithin(lon, -180, 180) || !isWithin(lat, -90, 90)) return 'bad';
  const measured = (value: unknown, unknownInRid: number) =>
    layer === 'rid' && value === unknownInRid ? null : (value ?? null);
  const altitudeM = measured(line.alt_m, RID_UNKNOWN.altitudeM);
  const heightAglM = measured(line.agl_m, RID_UNKNOWN.heightAglM);
  const speedMps = measured(line.gs_mps, RID_UNKNOWN.speedMps);
  const headingDeg = measured(line.trk_deg, RID_UNKNOWN.headingDeg);
  if (!isNumberOrNull(altitudeM) || !isNumberOrNull(heightAglM)) return 'bad';
  if (!isNumberOrNull(speedMps, 0) || !isNumberOrNull(headingDeg, 0, 360)) return 'bad';
  if (lon === 0 && lat === 0) return 'no-position';
  return { t: epochMs(t), id, lon, lat, altitudeM, heightAglM, speedMps, headingDeg };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function isWithin(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && value >= min && value <= max;
}

function isNumberOrNull(value: unknown, min = -Infinity, max = Infinity): value is number | null {
  return value === null || (isWithin(value, min, max) && Number.isFinite(value));
}
