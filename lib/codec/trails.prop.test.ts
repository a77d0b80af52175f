import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DamagedBytes } from '#lib/columns/bytes.ts';
import { UNREPORTED } from '#lib/columns/unreported.ts';
import { MAX_STEPS } from '#lib/model/record-fields.ts';
import { METRE_STEPS, toSteps, toUnits } from './steps.ts';
import { decodeTrails, encodeTrails, type TrailColumns } from './trails.ts';

const heightSteps = (metres: number) => toSteps(metres, METRE_STEPS);
const metresOfSteps = (steps: number) => toUnits(steps, METRE_STEPS);

const AT_MS = Date.UTC(2026, 10, 21, 12);

const place = fc.record({
  atMs: fc.integer({ min: AT_MS - 900_000, max: AT_MS + 60_000 }),
  lon: fc.oneof(
    fc.integer({ min: -180e6, max: 180e6 }),
    fc.integer({ min: 179.99e6, max: 180e6 }),
    fc.constantFrom(-180e6, 180e6, 0),
  ),
  lat: fc.oneof(fc.integer({ min: -90e6, max: 90e6 }), fc.constantFrom(-90e6, 90e6, 0)),
  height: fc.oneof(
    { weight: 4, arbitrary: fc.double({ min: -500, max: 15_000, noNaN: true }).map(heightSteps) },
    { weight: 1, arbitrary: fc.constant(UNREPORTED) },
    { weight: 1, arbitrary: fc.double().map(heightSteps) },
  ),
});
const hex = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((digits) => digits.toString(16).toUpperCase());
const ref = fc.oneof(
  { weight: 6, arbitrary: hex.map((digits) => `RX-A-${digits.padStart(16, '0')}`) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.constantFrom('', '1', 'RX-D-', 'r.2-D-00000000FFFFFFFF') },
);
const trails = fc
  .uniqueArray(fc.tuple(ref, fc.array(place, { minLength: 1, maxLength: 8 })), {
    selector: ([name]) => name,
    maxLength: 12,
  })
  .map((tracks): TrailColumns => {
    const places = tracks.flatMap(([, own]) => own.toSorted((a, b) => a.atMs - b.atMs));
    let end = 0;
    return {
      refs: tracks.map(([name]) => name),
      starts: Uint32Array.from([0, ...tracks.map(([, own]) => (end += own.length))]),
      atMs: Float64Array.from(places, ({ atMs }) => atMs),
      lon: Int32Array.from(places, ({ lon }) => lon),
      lat: Int32Array.from(places, ({ lat }) => lat),
      height: Int32Array.from(places, ({ height }) => height),
    };
  });

describe('trails', () => {
  test('are the same after encoding and decoding', () => {
    fc.assert(
      fc.property(trails, (columns) => {
        expect(decodeTrails(encodeTrails(columns))).toEqual(columns);
      }),
    );
  });

  test('that are cut short or damaged are refused or decoded to places on Earth', () => {
    fc.assert(
      fc.property(trails, fc.nat(), fc.nat({ max: 255 }), (columns, at, byte) => {
        const bytes = encodeTrails(columns);
        expect(() => decodeTrails(bytes.subarray(0, at % bytes.length))).toThrow(/./);
        bytes[at % bytes.length] = byte;
        let damaged: TrailColumns | undefined;
        try {
          damaged = decodeTrails(bytes);
        } catch (error) {
          if (!String(error).includes('another version')) expect(error).toBeInstanceOf(DamagedBytes);
          return;
        }
        expect(damaged.lon.every((lon) => Math.abs(lon) <= 180e6)).toBe(true);
        expect(damaged.lat.every((lat) => Math.abs(lat) <= 90e6)).toBe(true);
      }),
    );
  });
});

describe('a height', () => {
  test('that was not reported stays so, and 0 m is 0 m', () => {
    expect(metresOfSteps(heightSteps(Number.NaN))).toBeNaN();
    expect(metresOfSteps(heightSteps(0))).toBe(0);
    expect(metresOfSteps(heightSteps(7.62))).toBe(7.62);
  });

  test('beyond any that is possible is clamped', () => {
    expect(metresOfSteps(heightSteps(1e300))).toBe(MAX_STEPS / 100);
    expect(metresOfSteps(heightSteps(Number.NEGATIVE_INFINITY))).toBe(-MAX_STEPS / 100);
  });
});
