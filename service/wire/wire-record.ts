import type { Mode } from '#lib/contract/operation.ts';
import type { WirePosition } from '#lib/contract/wire-position.ts';
import { addMs, formatInstant } from '#lib/time/instant.ts';
import { lifetimeMs, type Observation } from '../sources/observation.ts';

/**
 * One record of `data`. What the source does not report stays null, but for one field: live ADS-B says `unknown` for an
 * emergency state that is not reported (Position: emergency_state).
 */
export function wireRecord(mode: Mode, reference: string, observation: Observation): WirePosition {
  const record: WirePosition = {
    public_track_id: reference,
    observed_at: formatInstant(observation.observedAt),
    longitude: observation.lon,
    latitude: observation.lat,
    altitude_m: observation.altitudeM,
    height_agl_m: observation.heightAglM,
    speed_mps: observation.speedMps,
    heading_deg: observation.headingDeg,
    confidence: observation.confidence,
    confidence_score: observation.confidenceScore,
    receiver_count: observation.receiverCount,
    track_kind: observation.layer === 'adsb' ? 'adsb_aircraft' : 'drone',
    simulated: observation.simulated,
    test_broadcast: observation.testBroadcast,
    emergency_state:
      mode === 'live' && observation.layer === 'adsb'
        ? (observation.emergencyState ?? 'unknown')
        : observation.emergencyState,
  };
  if (mode === 'live') {
    record.stale_after = formatInstant(addMs(observation.observedAt, lifetimeMs(observation.layer)));
  }
  return record;
}
