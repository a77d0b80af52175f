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
import type { Position } from '#lib/model/position.ts';
import { instantFromMs } from '#lib/time/instant.ts';

/** Kept observations, one by one; written again they are the same to the last digit. */
export function historyPositions(records: QuantisedRecords): readonly Position[] {
  return Array.from({ length: records.count }, (_, index): Position => {
    const flags = records.flags[index] as number;
    const reported = (name: QuantityName) => {
      const value = valueAt(records, name, index);
      return Number.isNaN(value) ? undefined : value;
    };
    return {
      ref: referenceAt(records, index),
      kind: (flags & BIT_DRONE) !== 0 ? 'drone' : 'aircraft',
      observedAt: instantFromMs(records.observedAtMs[index] as number),
      lon: valueAt(records, 'lon', index),
      lat: valueAt(records, 'lat', index),
      altitudeM: reported('altitudeM'),
      heightAglM: reported('heightAglM'),
      speedMps: reported('speedMps'),
      headingDeg: reported('headingDeg'),
      confidence: records.labels[records.confidence[index] as number],
      confidenceScore: reported('confidenceScore'),
      receiverCount: reported('receiverCount'),
      simulated: (flags & BIT_SIMULATED) !== 0,
      testBroadcast: (flags & BIT_TEST) !== 0,
      emergencyState: records.labels[records.emergency[index] as number],
      staleAfter: undefined,
    };
  });
}
