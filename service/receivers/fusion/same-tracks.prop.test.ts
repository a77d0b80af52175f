import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LAYERS } from '#lib/contract/operation.ts';
import { destination } from '#lib/geo/great-circle.ts';
import { type ReceivedPosition, SameTracks } from './same-tracks.ts';

const SECONDS = 90;
const flight = fc.record({
  layer: fc.constantFrom(...LAYERS),
  lon: fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(179.999, -180, 0)),
  lat: fc.double({ min: -75, max: 75, noNaN: true }),
  speedMps: fc.double({ min: 5, max: 250, noNaN: true }),
  headingDeg: fc.double({ min: 0, max: 359, noNaN: true }),
  saysSpeed: fc.boolean(),
  everyS: fc.integer({ min: 1, max: 10 }),
});
type Flight = typeof flight extends fc.Arbitrary<infer Value> ? Value : never;

function positionOf({ layer, lon, lat, speedMps, headingDeg, saysSpeed }: Flight, trackId: string, s: number) {
  return {
    trackId,
    layer,
    simulated: false,
    atMs: s * 1000,
    ...destination({ lon, lat }, headingDeg, speedMps * s),
    altitudeM: null,
    speedMps: saysSpeed ? speedMps : null,
    headingDeg: saysSpeed ? headingDeg : null,
  };
}

/** @returns the track of the receivers that another source's track is found to be */
function ownOf(given: Flight, moved: (position: ReceivedPosition) => ReceivedPosition): string | undefined {
  const same = new SameTracks();
  for (let s = 0; s < SECONDS; s += 1) {
    same.own(positionOf(given, 'own', s));
    if (s % given.everyS === 0) same.other('club', moved(positionOf(given, 'other', s)));
    same.advance(s * 1000);
  }
  return same.ownOf('other');
}

test('an aircraft or drone that two sources have in the same places is one, wherever it flies', () => {
  fc.assert(
    fc.property(flight, (given) => {
      expect(ownOf(given, (position) => position)).toBe('own');
    }),
  );
});

test('one that always flies 40 m from another (drones: 5 m) or farther is another', () => {
  fc.assert(
    fc.property(
      flight,
      fc.double({ min: 1, max: 100, noNaN: true }),
      fc.constantFrom(-90, 90),
      (given, times, side) => {
        const besideM = (given.layer === 'adsb' ? 40 : 5) * times;
        const moved = (position: ReceivedPosition) => ({
          ...position,
          ...destination(position, given.headingDeg + side, besideM),
        });
        expect(ownOf(given, moved)).toBeUndefined();
      },
    ),
  );
});

test('a simulated track, or one of another layer, is never the same', () => {
  fc.assert(
    fc.property(flight, fc.boolean(), (given, isSimulated) => {
      const layer = given.layer === 'adsb' ? 'rid' : 'adsb';
      const changed = isSimulated ? { simulated: true } : ({ layer } as const);
      expect(ownOf(given, (position) => ({ ...position, ...changed }))).toBeUndefined();
    }),
  );
});
