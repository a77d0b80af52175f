import 'server-only';
import type { LiveRecord } from '#lib/api/live-answer.ts';
import type { Position } from '#lib/model/position.ts';
import { byWireName, FLAG_NAMES, LABEL_NAMES, MEASURE_NAMES } from '#lib/model/record-fields.ts';
import { formatInstant } from '#lib/time/instant.ts';

/** The record of a live or past position: `undefined` becomes null, never a number. */
export function apiRecord(position: Position): LiveRecord {
  return {
    public_track_id: position.ref,
    track_kind: position.kind === 'drone' ? 'drone' : 'adsb_aircraft',
    observed_at: formatInstant(position.observedAt),
    ...(position.staleAfter === undefined ? {} : { stale_after: formatInstant(position.staleAfter) }),
    longitude: position.lon,
    latitude: position.lat,
    ...byWireName(MEASURE_NAMES, (name) => position[name] ?? null),
    ...byWireName(LABEL_NAMES, (name) => position[name] ?? null),
    ...byWireName(FLAG_NAMES, (name) => position[name]),
  };
}
