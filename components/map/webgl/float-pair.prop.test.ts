import fc from 'fast-check';
import { expect, test } from 'vitest';
import { floatHigh, floatLow } from './quads.ts';

const WORLD_PX_AT_ZOOM_20 = 512 * 2 ** 20;
const origin = fc.double({ min: -0.5, max: 1.5, noNaN: true });
const mercator = fc.double({ min: 0, max: 1, noNaN: true });

function relativeInSinglePrecision(position: number, middle: number): number {
  const high = Math.fround(floatHigh(position) - floatHigh(middle));
  const low = Math.fround(floatLow(position) - floatLow(middle));
  return Math.fround(high + low);
}

test('a position on screen at zoom 20 is placed within a tenth of a pixel', () => {
  fc.assert(
    fc.property(origin, fc.double({ min: -4000, max: 4000, noNaN: true }), (middle, offsetPx) => {
      const position = middle + offsetPx / WORLD_PX_AT_ZOOM_20;
      const errorPx = (relativeInSinglePrecision(position, middle) - (position - middle)) * WORLD_PX_AT_ZOOM_20;
      expect(Math.abs(errorPx)).toBeLessThan(0.1);
    }),
  );
});

test('one single-precision float is not enough: it is pixels off', () => {
  const position = 0.523456789012;
  expect(Math.abs(Math.fround(position) - position) * WORLD_PX_AT_ZOOM_20).toBeGreaterThan(1);
});

test('the pair adds up to the double within 2^-49 of the world', () => {
  fc.assert(
    fc.property(mercator, (value) => {
      expect(Math.abs(floatHigh(value) + floatLow(value) - value)).toBeLessThanOrEqual(2 ** -49);
    }),
  );
});
