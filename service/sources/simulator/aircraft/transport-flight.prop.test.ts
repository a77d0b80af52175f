import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distanceM } from '#lib/geo/great-circle.ts';
import { makeDice } from '#lib/random/seeded-random.ts';
import { motionAt } from '../motion/motion-profile.ts';
import { pointAlong } from '../motion/path.ts';
import { airport } from './airports.ts';
import { type TransportTask, transportFlight } from './transport-flight.ts';

const pairs = [
  ['LSZH', 'EGLL', 230],
  ['RJTT', 'KSEA', 240],
  ['NFFN', 'NFNM', 140],
  ['LSZF', 'LSZL', 55],
  ['LSGS', 'LSZS', 55],
  ['CYLT', 'BGTL', 230],
] as const;
const task = fc
  .record({
    pair: fc.constantFrom(...pairs),
    back: fc.boolean(),
    holdLaps: fc.integer({ min: 0, max: 3 }),
    fromReversed: fc.boolean(),
    toReversed: fc.boolean(),
  })
  .map(({ pair: [a, b, cruiseMps], back, ...rest }): TransportTask => {
    return { from: airport(back ? b : a), to: airport(back ? a : b), cruiseMps, ...rest };
  });
const flight = fc.record({ task, key: fc.integer() }).map(({ task: given, key }) => {
  return { task: given, movement: transportFlight(5, given, makeDice(key)) };
});

describe('transportFlight', () => {
  it('goes from a stand at one airport to a stand at the other, on the ground at both', () => {
    fc.assert(
      fc.property(flight, ({ task: { from, to }, movement: { path, profile } }) => {
        const end = motionAt(profile, profile.durationMs);
        expect(distanceM(pointAlong(path, 0), from)).toBeLessThan(2000);
        expect(distanceM(pointAlong(path, end.alongM), to)).toBeLessThan(2000);
        expect(end.alongM).toBeCloseTo(path.metresAt.at(-1)!, 3);
        expect(motionAt(profile, 0)).toMatchObject({ speedMps: 0, altitudeM: from.elevationM });
        expect(end).toMatchObject({ speedMps: 0, altitudeM: to.elevationM });
      }),
    );
  });

  it('cruises at a constant multiple of 1000 ft on a long leg, odd eastbound and even westbound', () => {
    const levelFt = (from: string, to: string) => {
      const given = { from: airport(from), to: airport(to), cruiseMps: 230, holdLaps: 0 };
      const { profile } = transportFlight(5, { ...given, fromReversed: false, toReversed: false }, makeDice(1));
      const middle = profile.durationMs / 2;
      expect(motionAt(profile, middle).altitudeM).toBe(motionAt(profile, middle + 60_000).altitudeM);
      return motionAt(profile, middle).altitudeM / 0.3048;
    };
    expect(Math.round(levelFt('EGLL', 'LGAV')) % 2000).toBe(1000);
    expect(Math.round(levelFt('LGAV', 'EGLL')) % 2000).toBe(0);
    expect(levelFt('EGLL', 'LGAV')).toBeGreaterThan(29_000);
  });

  it('climbs, descends, accelerates and decelerates only as fast as aircraft can', () => {
    fc.assert(
      fc.property(flight, ({ movement: { profile } }) => {
        const worst = { climbMps: 0, accelerationMps2: 0, beyondSpeedM: 0 };
        for (let ms = 0; ms < profile.durationMs; ms += 1000) {
          const [now, next] = [motionAt(profile, ms), motionAt(profile, ms + 1000)];
          const reachM = Math.max(now.speedMps, next.speedMps);
          worst.climbMps = Math.max(worst.climbMps, Math.abs(next.altitudeM - now.altitudeM));
          worst.accelerationMps2 = Math.max(worst.accelerationMps2, Math.abs(next.speedMps - now.speedMps));
          worst.beyondSpeedM = Math.max(worst.beyondSpeedM, next.alongM - now.alongM - reachM);
        }
        expect(worst.climbMps).toBeLessThan(20);
        expect(worst.accelerationMps2).toBeLessThan(4);
        expect(worst.beyondSpeedM).toBeLessThan(4);
      }),
      { numRuns: 25 },
    );
  });

  it('flies further by one lap length for each lap of a hold', () => {
    const given = { from: airport('EGLL'), to: airport('LSZH'), cruiseMps: 230 };
    const directions = { fromReversed: false, toReversed: true };
    const lengthM = (holdLaps: number) =>
      transportFlight(5, { ...given, ...directions, holdLaps }, makeDice(2)).path.metresAt.at(-1)!;
    const lapM = lengthM(1) - lengthM(0);
    expect(lapM).toBeGreaterThan(25_000);
    expect(lengthM(3) - lengthM(0)).toBeCloseTo(3 * lapM, -2);
  });
});
