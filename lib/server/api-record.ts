import 'server-only';
import type { LiveRecord } from '#lib/api/live-record.ts';
import type { Position } from '#lib/model/position.ts';
import { formatInstant } from '#lib/time/instant.ts';

/** The domain shape as the app's own API gives it, live and past: `undefined` becomes null, and never a number. */
export function apiRecord(position: Position): LiveRecord {
  return {
    public_track_id: position.ref,
    observed_at: formatInstant(position.observedAt),
    longitude: position.lon,
    latitude: position.lat,
    altitude_m: position.altitudeM ?? null,
    height_agl_m: position.heightAglM ?? null,
    speed_mps: position.speedMps ?? null,
    heading_deg: position.headingDeg ?? null,
    confidence: position.confidence ?? null,
    confidence_score: position.confidenceScore ?? null,
    receiver_count: position.receiverCount ?? null,
    track_kind: position.kind === 'drone' ? 'drone' : 'adsb_aircraft',
    simulated: position.simulated,
    test_broadcast: position.testBroadcast,
    emergency_state: position.emergencyState ?? null,
    ...(position.staleAfter === undefined ? {} : { stale_after: formatInstant(position.staleAfter) }),
  };
}
