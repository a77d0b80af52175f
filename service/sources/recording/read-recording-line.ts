import type { Layer } from '#lib/contract/operation.ts';
import { epochMs, parseInstant } from '#lib/time/instant.ts';
import { mendObject } from '../../json/mend-object.ts';

/** `t` is ms since 1970; `null` means "not recorded". */
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

/** `no-position`: of a sender without a fix, which reports 0,0. `bad`: malformed. */
export type RecordingLine = RecordedPosition | 'no-position' | 'bad';

/** "Unknown" in Remote ID (ASTM F3411-22a). Some receivers record these as measured. */
const RID_UNKNOWN = { altitudeM: -1000, heightAglM: -1000, speedMps: 255, headingDeg: 361 };

/** `{t, id, lon, lat, alt_m, agl_m, gs_mps, trk_deg}`; other fields are ignored. */
export function readRecordingLine(text: string, layer: Layer, badValue: (field: string) => void): RecordingLine {
  const read = mendObject(text);
  if (read === undefined) return 'bad';
  const line = read.object;
  const t = typeof line.t === 'string' ? parseInstant(line.t) : undefined;
  const { id, lon, lat } = line;
  if (t === undefined || typeof id !== 'string' || id === '') return 'bad';
  if (!isWithin(lon, -180, 180) || !isWithin(lat, -90, 90)) return 'bad';
  if (lon === 0 && lat === 0) return 'no-position';
  for (const field of read.unusable) badValue(field);
  const measured = (field: string, unknownInRid: number, min = -Infinity, max = Infinity) => {
    const value = line[field] ?? null;
    if (value === null || (layer === 'rid' && value === unknownInRid)) return null;
    if (isWithin(value, min, max) && Number.isFinite(value)) return value;
    badValue(field);
    return null;
  };
  return {
    t: epochMs(t),
    id,
    lon,
    lat,
    altitudeM: measured('alt_m', RID_UNKNOWN.altitudeM),
    heightAglM: measured('agl_m', RID_UNKNOWN.heightAglM),
    speedMps: measured('gs_mps', RID_UNKNOWN.speedMps, 0),
    headingDeg: measured('trk_deg', RID_UNKNOWN.headingDeg, 0, 360),
  };
}

function isWithin(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && value >= min && value <= max;
}
