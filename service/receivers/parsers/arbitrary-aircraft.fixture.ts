import fc from 'fast-check';
import { EPOCH_S } from './readsb-row.fixture.ts';

/** Has every identity that must not leave a parser. */
export const arbitraryAircraft = fc.record({
  // Begins with a letter, so no number contains it.
  address: fc.integer({ min: 0xa0_00_01, max: 0xaf_ff_ff }),
  callsign: fc.stringMatching(/^[A-Z]{3}[0-9]{4}$/),
  registration: fc.stringMatching(/^[A-Z]-[A-Z]{4}$/),
  owner: fc.stringMatching(/^[A-Z][a-z]{6,9} Leasing$/),
  squawk: fc.stringMatching(/^[0-6][0-7]{3}$/),
  rangeNm: fc.integer({ min: 1_000_001, max: 9_999_999 }).map((value) => value / 30_011),
  bearingDeg: fc.integer({ min: 1_000_001, max: 9_999_999 }).map((value) => value / 30_013),
  lat: fc.integer({ min: -89_999_999, max: 89_999_999 }).map((value) => value / 1e6),
  lon: fc.integer({ min: 1, max: 179_999_999 }).map((value) => value / 1e6),
  altitudeFt: fc.integer({ min: -40, max: 1800 }).map((steps) => steps * 25),
  speedKt: fc.integer({ min: 0, max: 9000 }).map((value) => value / 10),
  trackDeg: fc.integer({ min: 0, max: 3599 }).map((value) => value / 10),
  sentS: fc.integer({ min: 0, max: 86_400_000 }).map((value) => EPOCH_S + value / 1000),
});

export type ReceivedAircraft = typeof arbitraryAircraft extends fc.Arbitrary<infer Value> ? Value : never;

export function hexOf(address: number): string {
  return address.toString(16).padStart(6, '0');
}

export function secretsOf({ address, callsign, registration, owner }: ReceivedAircraft): (string | number)[] {
  return [hexOf(address), hexOf(address).toUpperCase(), address, callsign, registration, owner];
}
