import 'server-only';
import type { QuantisedRecords } from '#lib/api/compact/quantised-records.ts';
import type { PartLine } from '#lib/api/history-line.ts';
import { formatInstant } from '#lib/time/instant.ts';
import { historyPositions } from './history-positions.ts';

/** Kept observations under the contract's field names, null for "not reported". */
export function historyRecords(records: QuantisedRecords): PartLine['records'] {
  return historyPositions(records).map((position) => ({
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
  }));
}
