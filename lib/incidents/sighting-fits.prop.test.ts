import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bearingDeg, destination, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { shorterWayDeg, wrapBearing } from '#lib/geo/longitude.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { fitsOf, type SightedTrack, type Sighting } from './sighting-fits.ts';

const BEGAN_MS = Date.UTC(2026, 10, 21, 10);
const STEP_MS = 5000;
const STEPS = 40;

const unit = fc.double({ min: 0, max: 1, noNaN: true });
const signed = fc.double({ min: -1, max: 1, noNaN: true });
const bearing = fc.double({ min: 0, max: 360, noNaN: true, maxExcluded: true });
const start = fc.record({
  lon: fc.double({ min: -180, max: 180, noNaN: true, maxExcluded: true }),
  lat: fc.double({ min: -75, max: 75, noNaN: true }),
});

/** A track that flies straight. */
function flight(ref: string, from: LonLat, courseDeg: number, speedMps: number, heightM?: number): SightedTrack {
  const positions = Array.from({ length: STEPS }, (_, step) => ({
    ...plainPosition,
    ...destination(from, courseDeg, (speedMps * step * STEP_MS) / 1000),
    ref,
    observedAt: upstreamInstant(BEGAN_MS + step * STEP_MS),
    altitudeM: heightM,
  }));
  return { ref, layer: 'adsb', positions };
}

const flights = fc.record({
  from: start,
  courseDeg: bearing,
  speedMps: fc.double({ min: 0, max: 300, noNaN: true }),
  heightM: fc.option(fc.double({ min: 0, max: 12_000, noNaN: true }), { nil: undefined }),
});

const cases = fc.record({
  flight: flights,
  /** Between two positions, or at one. */
  step: fc.double({ min: 0, max: STEPS - 1, noNaN: true }),
  away: fc.record({ courseDeg: bearing, distanceM: fc.double({ min: 200, max: 60_000, noNaN: true }) }),
  atWithinMs: fc.integer({ min: 0, max: 120_000 }),
  bearingWithinDeg: fc.double({ min: 0.1, max: 30, noNaN: true }),
  late: signed,
  aside: signed,
});

/** A sighting of a track, with errors below the stated ones. */
function sightingOf(of: Case): { track: SightedTrack; sighting: Sighting } {
  const track = flight('seen', of.flight.from, of.flight.courseDeg, of.flight.speedMps, of.flight.heightM);
  const before = track.positions[Math.floor(of.step)] as Position;
  const after = track.positions[Math.ceil(of.step)] as Position;
  const share = of.step - Math.floor(of.step);
  const there = {
    lon: before.lon + share * shorterWayDeg(before.lon, after.lon),
    lat: before.lat + share * (after.lat - before.lat),
  };
  const place = destination(there, of.away.courseDeg, of.away.distanceM);
  return {
    track,
    sighting: {
      atMs: BEGAN_MS + of.step * STEP_MS + of.late * of.atWithinMs,
      atWithinMs: of.atWithinMs + 1,
      place,
      bearingDeg: wrapBearing(bearingDeg(place, there) + of.aside * of.bearingWithinDeg * 0.999),
      bearingWithinDeg: of.bearingWithinDeg,
      elevationDeg: undefined,
      elevationWithinDeg: undefined,
      distanceM: undefined,
      distanceWithinM: undefined,
    },
  };
}

interface Case {
  readonly flight: { from: LonLat; courseDeg: number; speedMps: number; heightM: number | undefined };
  readonly step: number;
  readonly away: { courseDeg: number; distanceM: number };
  readonly atWithinMs: number;
  readonly bearingWithinDeg: number;
  readonly late: number;
  readonly aside: number;
}

test('the track that was seen fits, whatever the errors within the stated ones', () => {
  fc.assert(
    fc.property(cases, (of) => {
      const { track, sighting } = sightingOf(of);
      const [fit] = fitsOf(sighting, [track]).fits;
      expect(fit?.track.ref).toBe('seen');
      expect(fit?.offDeg).toBeLessThanOrEqual(sighting.bearingWithinDeg);
    }),
    { numRuns: 1000 },
  );
});

test('a fit has the place and the time of the track', () => {
  fc.assert(
    fc.property(cases, (of) => {
      const { track, sighting } = sightingOf(of);
      const [fit] = fitsOf(sighting, [track]).fits;
      if (!fit) throw new Error('no fit');
      expect(Math.abs(fit.atMs - sighting.atMs)).toBeLessThanOrEqual(sighting.atWithinMs + 1e-6);
      const step = (fit.atMs - BEGAN_MS) / STEP_MS;
      const near = track.positions[Math.round(Math.min(STEPS - 1, Math.max(0, step)))] as Position;
      const metres = (Math.abs(step - Math.round(step)) * of.flight.speedMps * STEP_MS) / 1000;
      expect(Math.abs(distanceM(sighting.place, near) - fit.distanceM)).toBeLessThanOrEqual(metres * 1.01 + 1);
    }),
  );
});

test('a finer search in time finds no better moment', () => {
  fc.assert(
    fc.property(cases, bearing, (of, elsewhereDeg) => {
      const { track, sighting: seen } = sightingOf(of);
      const sighting = { ...seen, bearingDeg: elsewhereDeg };
      const { fits, nearestMiss } = fitsOf(sighting, [track]);
      const found = fits[0] ?? nearestMiss;
      if (!found) throw new Error('a track of that time is a fit or a miss');
      for (let share = 0; share <= 1; share += 0.01) {
        const atMs = sighting.atMs + (2 * share - 1) * sighting.atWithinMs;
        const at = placeAt(track, atMs);
        if (!at) continue;
        const offDeg = Math.abs(shorterWayDeg(elsewhereDeg, bearingDeg(sighting.place, at)));
        expect(found.offDeg).toBeLessThanOrEqual(offDeg + 0.05);
      }
    }),
    { numRuns: 200 },
  );
});

function placeAt({ positions }: SightedTrack, atMs: number): LonLat | undefined {
  const step = (atMs - BEGAN_MS) / STEP_MS;
  const [before, after] = [positions[Math.floor(step)], positions[Math.ceil(step)]];
  if (!before || !after) return undefined;
  const share = step - Math.floor(step);
  return {
    lon: before.lon + share * shorterWayDeg(before.lon, after.lon),
    lat: before.lat + share * (after.lat - before.lat),
  };
}

test('a track that was received only at another time neither fits nor misses', () => {
  fc.assert(
    fc.property(cases, unit, (of, later) => {
      const { track, sighting } = sightingOf(of);
      const atMs = BEGAN_MS + STEPS * STEP_MS + sighting.atWithinMs + 1 + later * 1e6;
      expect(fitsOf({ ...sighting, atMs }, [track])).toEqual({ fits: [], nearestMiss: undefined });
    }),
  );
});
