import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyPosition } from '#lib/codec/arbitrary-position.fixture.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { addMs } from '#lib/time/instant.ts';
import { aircraftOf, hexAddresses } from './aircraft.ts';

const now = addMs(plainPosition.observedAt, 12_340);
/** In knots or feet, more is beyond a number. */
const isRepresentable = ({ speedMps = 0, altitudeM = 0 }: Position) => Math.abs(speedMps) + Math.abs(altitudeM) < 1e307;
const anyPositions = fc.uniqueArray(anyPosition.filter(isRepresentable), { selector: ({ ref }) => ref, maxLength: 30 });
const anyOptions = fc.record({ now: fc.constant(now), altitudeAs: fc.constantFrom(null, 'alt_baro', 'alt_geom') });
const one = (changes: object, altitudeAs: 'alt_baro' | 'alt_geom' | null = null) =>
  aircraftOf([{ ...plainPosition, ...changes }], { now, altitudeAs })[0];

describe('aircraft.json', () => {
  test('has one aircraft a position, and a field exactly where the value was reported', () => {
    fc.assert(
      fc.property(anyPositions, anyOptions, (positions, options) => {
        const aircraft = aircraftOf(positions, options);
        expect(aircraft.map((each) => each.public_track_id)).toEqual(positions.map(({ ref }) => ref));
        for (const [index, each] of aircraft.entries()) {
          const position = positions[index]!;
          expect(each.hex).toMatch(/^~[0-9a-f]{6}$/);
          expect('gs' in each).toBe(position.speedMps !== undefined);
          expect('track' in each).toBe(position.headingDeg !== undefined);
          expect('height_agl_m' in each).toBe(position.heightAglM !== undefined);
          for (const name of ['alt_baro', 'alt_geom'] as const)
            expect(name in each).toBe(options.altitudeAs === name && position.altitudeM !== undefined);
          expect(Object.values(JSON.parse(JSON.stringify(each)))).not.toContain(null);
        }
      }),
    );
  });

  test('marks simulations and tests in the callsign, and nothing else has one', () => {
    fc.assert(
      fc.property(anyPositions, anyOptions, (positions, options) => {
        for (const [index, { simulated, test: isTest, flight }] of aircraftOf(positions, options).entries()) {
          expect({ simulated, isTest }).toEqual({
            simulated: positions[index]!.simulated,
            isTest: positions[index]!.testBroadcast,
          });
          expect(flight?.startsWith('SIM ') ?? false).toBe(simulated);
          expect(flight?.includes('TEST ') ?? false).toBe(isTest);
        }
      }),
    );
  });

  test('converts to feet and knots, and measures ages from the observation', () => {
    expect(one({ altitudeM: 304.8, speedMps: 51.444, headingDeg: 0, heightAglM: 0 }, 'alt_geom')).toEqual({
      hex: '~4babf3',
      type: 'adsb_other',
      alt_geom: 1000,
      gs: 100,
      track: 0,
      lat: 47.5,
      lon: 8.5,
      seen: 12.3,
      seen_pos: 12.3,
      public_track_id: 'RX-A-0000000000000001',
      simulated: false,
      test: false,
      altitude_m: 304.8,
      height_agl_m: 0,
    });
  });

  test('claims no datum unless told to, no negative age, and no emergency that ADS-B does not know', () => {
    expect(one({ altitudeM: 300 })).not.toHaveProperty('alt_geom');
    expect(one({ observedAt: addMs(now, 5000) })).toMatchObject({ seen: 0, seen_pos: 0 });
    expect(one({ emergencyState: 'unknown' })).not.toHaveProperty('emergency');
    expect(one({ emergencyState: 'general' })).toMatchObject({ emergency: 'general' });
  });

  test('calls drones unmanned', () => {
    expect(one({ kind: 'drone' })).toMatchObject({ category: 'B6', type: 'other' });
    expect(one({})).not.toHaveProperty('category');
  });
});

const reference = (number: number) => `RX-A-${number.toString(16).toUpperCase().padStart(16, '0')}`;
const anyReferences = fc.uniqueArray(fc.nat().map(reference), { maxLength: 50 });
/** Some hundred of these collide. */
const MANY = Array.from({ length: 60_000 }, (_, number) => reference(number));
const alone = (ref: string) => hexAddresses([ref]).get(ref);

describe('hexAddresses', () => {
  test('gives no two references one address, however many there are', () => {
    const addresses = [...hexAddresses(MANY).values()];
    expect(new Set(addresses).size).toBe(MANY.length);
    expect(addresses.every((address) => /^~[0-9a-f]{6}$/.test(address))).toBe(true);
  });

  test('resolves true collisions, of which the first keeps its own address', () => {
    const byAddress = Map.groupBy(MANY, alone);
    const colliding = [...byAddress.values()].filter(({ length }) => length > 1);
    expect(colliding.length).toBeGreaterThan(20);
    for (const refs of colliding) {
      const addresses = hexAddresses(refs);
      expect(new Set(addresses.values()).size).toBe(refs.length);
      expect(addresses.get(refs[0]!)).toBe(alone(refs[0]!));
    }
  });

  test('does not depend on order or repetition, and is mostly the address of each alone', () => {
    fc.assert(
      fc.property(anyReferences, (refs) => {
        const addresses = hexAddresses(refs);
        expect(hexAddresses([...refs, ...refs].reverse())).toEqual(addresses);
        const changed = refs.filter((ref) => addresses.get(ref) !== alone(ref));
        expect(changed.length).toBeLessThan(2);
      }),
    );
  });
});
