import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimalText, dmsText } from './coordinate-text.ts';
import { distanceM, type LonLat } from './great-circle.ts';
import { mgrsText } from './mgrs.ts';
import { parseCoordinates } from './parse-coordinates.ts';

const place = fc.record({
  lon: fc.oneof(
    fc.double({ min: -180, max: 180, noNaN: true }),
    fc.integer({ min: -60, max: 60 }).map((edge) => edge * 3),
    fc.constantFrom(179.99999999999997, -179.99999999999997),
  ),
  lat: fc.oneof(
    fc.double({ min: -90, max: 90, noNaN: true }),
    fc.integer({ min: -11, max: 11 }).map((edge) => edge * 8),
    fc.constantFrom(-80, 84),
  ),
});

function errorM(text: string, from: LonLat): number {
  const reading = parseCoordinates(text);
  return reading?.ok ? distanceM(reading.place, from) : Number.POSITIVE_INFINITY;
}

test('Decimals are read back as the same place, within a metre', () => {
  fc.assert(
    fc.property(place, (from) => {
      expect(errorM(decimalText(from), from)).toBeLessThan(0.8);
    }),
  );
});

test('Degrees, minutes and seconds are read back as the same place, within three metres', () => {
  fc.assert(
    fc.property(place, (from) => {
      expect(errorM(dmsText(from), from)).toBeLessThan(2.2);
    }),
  );
});

test('MGRS is read back as the same square metre; beyond its latitudes there is none', () => {
  fc.assert(
    fc.property(place, (from) => {
      const text = mgrsText(from);
      if (from.lat > 84 || from.lat < -80) expect(text).toBeUndefined();
      else expect(errorM(text ?? '', from)).toBeLessThan(1.5);
    }),
  );
});

test('A world further on is the same place', () => {
  fc.assert(
    fc.property(place, fc.integer({ min: -3, max: 3 }), ({ lon, lat }, turns) => {
      const further = { lon: lon + 360 * turns, lat };
      for (const write of [decimalText, dmsText]) expect(errorM(write(further), { lon, lat })).toBeLessThan(2.2);
    }),
  );
});

test('Any text is read, refused with a reason, or no coordinates; never an exception', () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^[0-9NSEWO°'", .+-]{0,30}$/));
  fc.assert(
    fc.property(text, (typed) => {
      const reading = parseCoordinates(typed);
      if (reading?.ok !== true) return;
      expect(Math.abs(reading.place.lat)).toBeLessThanOrEqual(90);
      expect(Math.abs(reading.place.lon)).toBeLessThanOrEqual(180);
    }),
  );
});
