import { describe, expect, test } from 'vitest';
import { destination } from '#lib/geo/great-circle.ts';
import type { Position } from '#lib/model/position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { plainPosition } from '../../model/plain-position.fixture.ts';
import { quantise } from '../quantise.ts';
import { deadReckon } from './dead-reckoning.ts';

const aircraft: Position = {
  ...plainPosition,
  ref: 'RX-A-0000000000000001',
  observedAt: upstreamInstant(0),
  lon: 8.5,
  lat: 47.25,
  altitudeM: 11_000,
  speedMps: 240,
  headingDeg: 61.5,
};

function reckoned(change: Partial<Position>, elapsedMs: number) {
  const place = { lon: 0, lat: 0 };
  deadReckon(quantise([{ ...aircraft, ...change }]), 0, elapsedMs, place);
  return { lon: place.lon / 1e6, lat: place.lat / 1e6 };
}

describe('deadReckon', () => {
  test('follows the great circle to within a metre in ten seconds', () => {
    for (const headingDeg of [0, 61.5, 135, 200, 359.9]) {
      const expected = destination(aircraft, headingDeg, 2400);
      const place = reckoned({ headingDeg }, 10_000);
      expect(Math.abs(place.lon - expected.lon)).toBeLessThan(1.3e-5);
      expect(Math.abs(place.lat - expected.lat)).toBeLessThan(0.9e-5);
    }
  });

  test('continues across 180°, with longitudes within ±180', () => {
    expect(reckoned({ lon: 179.99, headingDeg: 90 }, 10_000).lon).toBeCloseTo(-179.978, 3);
    expect(reckoned({ lon: -179.99, headingDeg: 270 }, 10_000).lon).toBeCloseTo(179.978, 3);
  });

  test('keeps the position without a speed, without a heading, or after several minutes', () => {
    const still = { lon: 8.5, lat: 47.25 };
    expect(reckoned({ speedMps: undefined }, 10_000)).toEqual(still);
    expect(reckoned({ headingDeg: undefined }, 10_000)).toEqual(still);
    expect(reckoned({ speedMps: 1e300 }, 10_000)).toEqual(still);
    expect(reckoned({}, 600_000)).toEqual(still);
  });

  test('keeps the longitude at a pole', () => {
    expect(reckoned({ lat: 90, headingDeg: 90 }, 10_000).lon).toBe(8.5);
  });
});
