import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bboxContains } from '#lib/geo/bbox.ts';
import { allotAircraft } from '../aircraft/aircraft-allotment.ts';
import { aircraftTrack } from '../aircraft/aircraft-track.ts';
import { droneTrack } from '../drones/drone-track.ts';
import { motionAt } from '../motion/motion-profile.ts';
import { pointAlong } from '../motion/path.ts';
import { allotDrones } from '../simulator.ts';
import { slotAt, type Track } from './track.ts';

const SEED = 11;
const tracks: Track[] = [
  ...allotAircraft(SEED, 900).map((task, index) => aircraftTrack(SEED, index, task)),
  ...allotDrones(SEED, 150).map((site, index) => droneTrack(SEED, index, site)),
];
const track = fc.constantFrom(...tracks);
/** A flight that would take 19 s longer than its slot at its usual speed. */
const longFlight = { track: tracks[150]!, number: 942_763 };
const number = fc.integer({ min: -50, max: 2_000_000 });

describe('a track', () => {
  it('has each flight entirely in its own slot, and long enough to finish its movement', () => {
    fc.assert(
      fc.property(track, number, (given, n) => {
        const flight = given.flight(n);
        expect(slotAt(given, flight.startMs)).toBe(n);
        expect(slotAt(given, flight.endMs - 1)).toBe(n);
        expect(flight.endMs).toBeGreaterThan(flight.startMs);
        if (flight.layer === 'adsb') {
          const { profile, path } = flight.movement;
          expect(flight.endMs - flight.startMs - flight.standsMs).toBeGreaterThanOrEqual(profile.durationMs - 1);
          expect(motionAt(profile, profile.durationMs).alongM).toBeCloseTo(path.metresAt.at(-1)!, 3);
        }
      }),
      { numRuns: 500, examples: [[longFlight.track, longFlight.number]] },
    );
  });

  it('keeps every flight within its extents, also between the points of its path', () => {
    fc.assert(
      fc.property(track, number, (given, n) => {
        const { path } = given.flight(n).movement;
        const lengthM = path.metresAt.at(-1)!;
        const between = Array.from({ length: 50 }, (_, part) => (lengthM * part) / 50);
        const outside = [...path.metresAt, ...between].filter((metres) => {
          const { lon, lat } = pointAlong(path, metres);
          return !given.extents.some((extent) => bboxContains(extent, lon, lat));
        });
        expect(outside).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
