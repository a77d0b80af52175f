import 'server-only';
import {
  BIT_DRONE,
  BIT_SIMULATED,
  BIT_TEST,
  type QuantisedRecords,
  type QuantityName,
  referenceAt,
  valueAt,
} from '#lib/api/compact/quantised-records.ts';
import type { PartLine } from '#lib/api/history-line.ts';
import { formatInstant, instantFromMs } from '#lib/time/instant.ts';

/** Kept observations under the contract's field names, null for "not reported". */
export function historyRecords(records: QuantisedRecords): PartLine['records'] {
  return Array.from({ length: records.count }, (_, index) => {
    const flags = records.flags[index] as number;
    const reported = (name: QuantityName) => {
      const value = valueAt(records, name, index);
      return Number.isNaN(value) ? null : value;
    };
    return {
      public_track_id: referenceAt(records, index),
      observed_at: formatInstant(instantFromMs(records.observedAtMs[index] as number)),
      longitude: valueAt(records, 'lon', index),
      latitude: valueAt(records, 'lat', index),
      altitude_m: reported('altitudeM'),
      height_agl_m: reported('heightAglM'),
      speed_mps: reported('speedMps'),
      heading_deg: reported('headingDeg'),
      confidence: records.labels[records.confidence[index] as number] ?? null,
      confidence_score: reported('confidenceScore'),
      receiver_count: reported('receiverCount'),
      track_kind: (flags & BIT_DRONE) !== 0 ? ('drone' as const) : ('adsb_aircraft' as const),
      simulated: (flags & BIT_SIMULATED) !== 0,
      test_broadcast: (flags & BIT_TEST) !== 0,
      emergency_state: records.labels[records.emergency[index] as number] ?? null,
    };
  });
}
