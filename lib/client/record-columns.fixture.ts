import type { LiveRecord } from '#lib/api/live-record.ts';
import { FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST, type RecordColumns } from './live-frame.ts';

/** Turns records into columns; null becomes NaN or label 0, and never a number. */
export function recordColumns(records: readonly LiveRecord[]): RecordColumns {
  const count = records.length;
  const labels: (string | undefined)[] = [undefined];
  const labelIndex = new Map<string, number>();
  const indexOf = (label: string | null): number => {
    if (label === null) return 0;
    let index = labelIndex.get(label);
    if (index === undefined) {
      index = labels.push(label) - 1;
      labelIndex.set(label, index);
    }
    return index;
  };
  const numbers = (read: (record: LiveRecord) => number | null): Float64Array =>
    Float64Array.from(records, (record) => read(record) ?? Number.NaN);

  return {
    count,
    refs: records.map((record) => record.public_track_id),
    confidence: Uint16Array.from(records, (record) => indexOf(record.confidence)),
    emergency: Uint16Array.from(records, (record) => indexOf(record.emergency_state)),
    labels,
    flags: Uint8Array.from(
      records,
      (record) =>
        (record.simulated ? FLAG_SIMULATED : 0) |
        (record.test_broadcast ? FLAG_TEST : 0) |
        (record.track_kind === 'drone' ? FLAG_DRONE : 0),
    ),
    observedAtMs: numbers((record) => Date.parse(record.observed_at)),
    staleAfterMs: numbers((record) => (record.stale_after === undefined ? null : Date.parse(record.stale_after))),
    lon: numbers((record) => record.longitude),
    lat: numbers((record) => record.latitude),
    altitudeM: numbers((record) => record.altitude_m),
    heightAglM: numbers((record) => record.height_agl_m),
    speedMps: numbers((record) => record.speed_mps),
    headingDeg: numbers((record) => record.heading_deg),
    confidenceScore: numbers((record) => record.confidence_score),
    receiverCount: numbers((record) => record.receiver_count),
  };
}
