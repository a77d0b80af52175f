import 'server-only';
import type { LiveRecord } from '#lib/api/live-record.ts';
import { RECORD_FIELDS } from '#lib/model/record-fields.ts';

export const EXPORTED_FIELDS = Object.values(RECORD_FIELDS).map(({ wire }) => wire);

export const TRAIL_FIELDS: typeof EXPORTED_FIELDS = [
  'public_track_id',
  'track_kind',
  'observed_at',
  'longitude',
  'latitude',
  'altitude_m',
  'height_agl_m',
  'simulated',
  'test_broadcast',
];

export const CSV_COLUMNS = [
  'row',
  'layer',
  ...EXPORTED_FIELDS,
  'complete',
  'gap_bbox',
  'gap_start',
  'gap_end',
  'gap_reason',
];

/** Null for "not reported", and for fields that past positions lack. */
export function fieldOf(record: LiveRecord, name: (typeof EXPORTED_FIELDS)[number]): string | number | boolean | null {
  return record[name] ?? null;
}
