import fc from 'fast-check';
import { expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import { NOTHING_REPORTED, type Observation, REPORTED_FIELDS, REPORTED_NUMBERS } from '../sources/observation.ts';
import { arbitraryObservations, trackKey } from './arbitrary-observation.fixture.ts';
import { PERIOD_MS, periodStart } from './period.ts';
import { Rows } from './rows.ts';
import { asStored, restorerOf, storeObservation } from './stored-observation.ts';

const START = upstreamInstant(Date.UTC(2026, 10, 23, 3, 20));

function storedAndRestored(observation: Observation): Observation {
  const rows = new Rows();
  expect(storeObservation(rows, observation)).toBe(true);
  const period = { layer: observation.layer, start: periodStart(observation.observedAt) };
  return restorerOf(period, rows.columns, rows.labels)(rows.trackKeys[rows.track[0]!]!, 0);
}

test('a restored observation equals asStored, and storing it again changes nothing', () => {
  fc.assert(
    fc.property(arbitraryObservations(START, PERIOD_MS), (observations) => {
      for (const observation of observations) {
        const restored = storedAndRestored(observation);
        expect(restored).toEqual(asStored(observation));
        expect(asStored(restored)).toEqual(restored);
      }
    }),
  );
});

test('rounding moves a value by half a step at most, keeps what is not reported, and makes no −0', () => {
  fc.assert(
    fc.property(arbitraryObservations(START, PERIOD_MS), (observations) => {
      for (const observation of observations) {
        const stored = asStored(observation);
        const halfStepDeg = observation.layer === 'rid' ? 0.5e-7 : 0.5e-6;
        expect(Math.abs(stored.lon - observation.lon)).toBeLessThanOrEqual(halfStepDeg * 1.000001);
        expect(Math.abs(stored.lat - observation.lat)).toBeLessThanOrEqual(halfStepDeg * 1.000001);
        for (const name of REPORTED_NUMBERS) {
          expect(stored[name] === null).toBe(observation[name] === null);
          const halfStep = 0.5 / REPORTED_FIELDS[name].stepsPerUnit;
          if (stored[name] !== null)
            expect(Math.abs(stored[name] - observation[name]!)).toBeLessThanOrEqual(halfStep * 1.000001);
        }
        for (const value of Object.values(stored)) expect(Object.is(value, -0)).toBe(false);
      }
    }),
  );
});

test('positions as receivers send them are stored exactly', () => {
  fc.assert(
    fc.property(fc.integer({ min: -18e8, max: 18e8 }), fc.integer({ min: -9e8, max: 9e8 }), (lonE7, latE7) => {
      const drone = { ...anObservation, layer: 'rid' as const, lon: lonE7 / 1e7, lat: latE7 / 1e7 };
      expect(storedAndRestored(drone)).toEqual(drone);
      const [lon, lat] = [Math.trunc(lonE7 / 10) / 1e6 + 0, Math.trunc(latE7 / 10) / 1e6 + 0];
      expect(storedAndRestored({ ...anObservation, lon, lat })).toMatchObject({ lon, lat });
    }),
  );
});

const anObservation: Observation = {
  sourceId: trackKey(1),
  layer: 'adsb',
  observedAt: START,
  lon: 8.5,
  lat: 47.4,
  ...NOTHING_REPORTED,
  simulated: false,
  testBroadcast: false,
};

test.each([
  ['an id that is no track key', { sourceId: 'icao:3c66b0' }],
  ['a position that is none', { lon: Number.NaN }],
  ['a position off the earth', { lat: 90.1 }],
  ['a measure that is no number', { altitudeM: Number.NaN }],
  ['a measure out of range', { speedMps: 1e9 }],
  ['a time between milliseconds', { observedAt: upstreamInstant(1_790_000_000_000.5) }],
  ['a label of half a character', { emergencyState: '\ud83d' }],
  ['a label that is too long', { confidence: 'x'.repeat(65) }],
] satisfies [string, Partial<Observation>][])('%s is not stored', (_, change) => {
  const rows = new Rows();
  expect(storeObservation(rows, { ...anObservation, ...change })).toBe(false);
  expect(rows.length).toBe(0);
  expect(rows.trackKeys).toEqual([]);
});
