import { describe, expect, it } from 'vitest';
import { ALL_AIRPORTS } from './airports.ts';

describe('the table of airports', () => {
  it('has every airport once, at a place on Earth, with a runway direction', () => {
    expect(new Set(ALL_AIRPORTS.map(({ icao }) => icao)).size).toBe(ALL_AIRPORTS.length);
    for (const { icao, lon, lat, elevationM, runwayDeg } of ALL_AIRPORTS) {
      expect(icao).toMatch(/^[A-Z]{4}$/);
      expect(Math.abs(lon)).toBeLessThanOrEqual(180);
      expect(Math.abs(lat)).toBeLessThan(89);
      expect(elevationM).toBeGreaterThan(-10);
      expect(elevationM).toBeLessThan(4500);
      expect(runwayDeg).toBeGreaterThan(0);
      expect(runwayDeg).toBeLessThanOrEqual(180);
    }
  });

  it('has well-known airports in the right places', () => {
    // National AIPs, to about a kilometre.
    const known = { LSZH: [8.55, 47.46], EGLL: [-0.46, 51.47], KJFK: [-73.78, 40.64], NFFN: [177.44, -17.76] };
    for (const [code, [lon, lat]] of Object.entries(known)) {
      const airport = ALL_AIRPORTS.find(({ icao }) => icao === code);
      expect(airport?.lon).toBeCloseTo(lon!, 1);
      expect(airport?.lat).toBeCloseTo(lat!, 1);
    }
  });
});
