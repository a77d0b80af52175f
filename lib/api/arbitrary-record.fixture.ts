import fc from 'fast-check';
import { byWireName, FLAG_NAMES, LABEL_NAMES, MEASURE_NAMES } from '#lib/model/record-fields.ts';
import { formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { latitude, longitude } from '../geo/arbitrary-bbox.fixture.ts';
import type { LiveRecord } from './live-answer.ts';

export const RECORDS_AT_MS = Date.UTC(2026, 10, 21, 12);

/** Reports only position and time. */
export const plainRecord: LiveRecord = {
  public_track_id: 'RX-A-0000000000000001',
  observed_at: formatInstant(upstreamInstant(RECORDS_AT_MS)),
  longitude: 8.5,
  latitude: 47.5,
  track_kind: 'adsb_aircraft',
  ...byWireName([...MEASURE_NAMES, ...LABEL_NAMES], () => null),
  ...byWireName(FLAG_NAMES, () => false),
};

const text = (min: number, max: number) =>
  fc.integer({ min, max }).map((offsetMs) => formatInstant(upstreamInstant(RECORDS_AT_MS + offsetMs)));
/** Zero and null are easily confused. */
const reported = fc.option(fc.constantFrom(0, 1, 12_000.5, -3), { nil: null });

/** Several share a reference, within a minute of `RECORDS_AT_MS`. */
export const anyRecord: fc.Arbitrary<LiveRecord> = fc
  .record({
    number: fc.nat(11),
    observed_at: text(-60_000, 60_000),
    longitude,
    latitude,
    ...byWireName(MEASURE_NAMES, () => reported),
    ...byWireName(LABEL_NAMES, () => fc.constantFrom(null, 'single', 'never_heard_of')),
    ...byWireName(FLAG_NAMES, () => fc.boolean()),
    confidence: fc.constantFrom(null, 'single', 'multi_station', 'never_heard_of'),
    receiver_count: fc.option(fc.nat(5), { nil: null }),
    emergency_state: fc.constantFrom(null, 'unknown', 'general', 'kraken'),
    stale: fc.option(text(-30_000, 120_000), { nil: undefined }),
  })
  .map(({ number, stale, ...fields }) => {
    const isDrone = number % 2 === 1;
    return {
      ...fields,
      public_track_id: `RX-${isDrone ? 'D' : 'A'}-${number.toString(16).toUpperCase().padStart(16, '0')}`,
      track_kind: isDrone ? ('drone' as const) : ('adsb_aircraft' as const),
      ...(stale === undefined ? {} : { stale_after: stale }),
    };
  });
