import 'server-only';
import type { WirePosition } from '#lib/contract/wire-position.ts';
import type { Position } from '#lib/model/position.ts';
import { type Instant, parseInstant } from '#lib/time/instant.ts';

/** Values that ASTM F3411 Remote ID messages carry for "unknown"; they mean that too where a feed leaks them. */
const UNKNOWN_SPEED_MPS = 255;
const UNKNOWN_TRACK_DEG = 361;
const UNKNOWN_HEIGHT_M = -1000;

/**
 * The wire record as the one domain shape: null becomes `undefined`. `undefined` for a record whose position is the
 * "no position yet" of Remote ID (0, 0), which was never received as a place.
 */
export function toPosition(wire: WirePosition): Position | undefined {
  const isDrone = wire.track_kind === 'drone';
  if (isDrone && wire.longitude === 0 && wire.latitude === 0) return undefined;
  const reported = (value: number | null, unknown: number) =>
    value === null || (isDrone && value === unknown) ? undefined : value;
  return {
    ref: wire.public_track_id,
    kind: isDrone ? 'drone' : 'aircraft',
    observedAt: parseInstant(wire.observed_at) as Instant,
    lon: wire.longitude,
    lat: wire.latitude,
    altitudeM: reported(wire.altitude_m, UNKNOWN_HEIGHT_M),
    heightAglM: reported(wire.height_agl_m, UNKNOWN_HEIGHT_M),
    speedMps: reported(wire.speed_mps, UNKNOWN_SPEED_MPS),
    headingDeg: reported(wire.heading_deg, UNKNOWN_TRACK_DEG),
    confidence: wire.confidence ?? undefined,
    confidenceScore: wire.confidence_score ?? undefined,
    receiverCount: wire.receiver_count ?? undefined,
    simulated: wire.simulated,
    testBroadcast: wire.test_broadcast,
    emergencyState: wire.emergency_state ?? undefined,
    staleAfter: wire.stale_after === undefined ? undefined : parseInstant(wire.stale_after),
  };
}
