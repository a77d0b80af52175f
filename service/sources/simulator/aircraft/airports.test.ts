import { describe, expect, it } from 'vitest';
import { AIRPORT_GROUPS, airport, airportsOf } from './airports.ts';

describe('the table of airports', () => {
  const all = AIRPORT_GROUPS.flatMap((group) => airportsOf(group));

  it('has every airport once, at a place on Earth, with a runway direction', () => {
    expect(new Set(all.map(({ icao }) => icao)).size).toBe(all.length);
    for (const { icao, lon, lat, elevationM, runwayDeg } of all) {
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
    // Aerodrome reference points as the national AIPs publish them, to about a kilometre.
    const known = { LSZH: [8.55, 47.46], EGLL: [-0.46, 51.47], KJFK: [-73.78, 40.64], NFFN: [177.44, -17.76] };
    for (const [icao, [lon, lat]] of Object.entries(known)) {
      expect(airport(icao).lon).toBeCloseTo(lon!, 1);
      expect(airport(icao).lat).toBeCloseTo(lat!, 1);
    }
  });

  it('throws for an unknown code', () => {
    expect(() => airport('XXXX')).toThrow('XXXX');
  });
});
