import {
  BIT_DRONE,
  BIT_SIMULATED,
  BIT_TEST,
  KEPT_EXACTLY,
  NOT_REPORTED,
  type QuantisedRecords,
  type QuantityName,
  referenceAt,
  UNITS_PER,
} from '#lib/api/compact/quantised-records.ts';
import { FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST, type RecordColumns } from './live-frame.ts';

/** More distinct labels than a column of 16 bits can name. */
const LABELS_MOST = 0x10000;

/** By the bits of a quantised record. */
const flagsOfBits = Uint8Array.from(
  { length: 8 },
  (_, bits) =>
    (bits & BIT_SIMULATED ? FLAG_SIMULATED : 0) |
    (bits & BIT_TEST ? FLAG_TEST : 0) |
    (bits & BIT_DRONE ? FLAG_DRONE : 0),
);

/**
 * @param indexes of the records that are wanted; `undefined`: all
 * @throws RangeError where the records have more than 65,535 distinct labels
 */
export function columnsFromCompact(records: QuantisedRecords, indexes: Uint32Array | undefined): RecordColumns {
  if (records.labels.length > LABELS_MOST) throw new RangeError('too many distinct labels');
  const wanted = indexes ?? Uint32Array.from({ length: records.count }, (_, index) => index);
  const observedAtMs = Float64Array.from(wanted, (index) => records.observedAtMs[index] as number);
  const values = (name: QuantityName) => quantityValues(records, name, wanted);
  return {
    count: wanted.length,
    refs: Array.from(wanted, (index) => referenceAt(records, index)),
    labels: records.labels,
    flags: Uint8Array.from(wanted, (index) => flagsOfBits[records.flags[index] as number] as number),
    confidence: Uint16Array.from(wanted, (index) => records.confidence[index] as number),
    emergency: Uint16Array.from(wanted, (index) => records.emergency[index] as number),
    observedAtMs,
    staleAfterMs: values('lifetimeMs').map((lifetimeMs, at) => (observedAtMs[at] as number) + lifetimeMs),
    lon: values('lon'),
    lat: values('lat'),
    altitudeM: values('altitudeM'),
    heightAglM: values('heightAglM'),
    speedMps: values('speedMps'),
    headingDeg: values('headingDeg'),
    confidenceScore: values('confidenceScore'),
    receiverCount: values('receiverCount'),
  };
}

function quantityValues(records: QuantisedRecords, name: QuantityName, wanted: Uint32Array): Float64Array {
  const { units, exact } = records.quantities[name];
  const per = UNITS_PER[name];
  const values = new Float64Array(wanted.length);
  for (let at = 0; at < wanted.length; at++) {
    const index = wanted[at] as number;
    const value = units[index] as number;
    if (value > KEPT_EXACTLY) values[at] = value / per;
    else values[at] = value === NOT_REPORTED ? Number.NaN : (exact.get(index) as number);
  }
  return values;
}
