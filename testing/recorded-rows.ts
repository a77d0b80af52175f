import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';

/** Without the service's code. `null` is "not recorded". */
export interface RecordedRow {
  readonly atMs: number;
  readonly id: string;
  readonly lon: number;
  readonly lat: number;
  readonly altitudeM: number | null;
  readonly speedMps: number | null;
}

interface Line {
  readonly t: string;
  readonly id: string;
  readonly lon: number;
  readonly lat: number;
  readonly alt_m?: number | null;
  readonly gs_mps?: number | null;
}

export function recordedRows(file: string, boxes: readonly Bbox[]): readonly RecordedRow[] {
  const rows = new Map<string, RecordedRow>();
  for (const text of gunzipSync(readFileSync(file)).toString('utf8').split('\n')) {
    if (text === '') continue;
    const { t, id, lon, lat, alt_m = null, gs_mps = null } = JSON.parse(text) as Line;
    if (!boxes.some((box) => bboxContains(box, lon, lat))) continue;
    const atMs = Date.parse(t);
    const key = `${id} ${atMs}`;
    if (!rows.has(key)) rows.set(key, { atMs, id, lon, lat, altitudeM: alt_m, speedMps: gs_mps });
  }
  return [...rows.values()];
}
