import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distanceM } from '#lib/geo/great-circle.ts';
import { SCALE_MAX_PX, type ScaleUnit, scaleBar } from './map-readings.tsx';

const METRES = new Map([
  ['km', 1000],
  ['m', 1],
  ['mi', 1609.344],
  ['ft', 0.3048],
  ['nm', 1852],
]);

describe('the scale bar', () => {
  it('has the length on the map that its text names, above half of the room', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -80, max: 80, noNaN: true }),
        fc.double({ min: 6, max: 18, noNaN: true }),
        fc.constantFrom<ScaleUnit>('metric', 'imperial', 'nautical'),
        (lat, zoom, unit) => {
          const { text, widthPx } = scaleBar(lat, zoom, unit);
          const [amount = '', name = ''] = text.split('\u00a0');
          const widthDeg = (360 * widthPx) / (512 * 2 ** zoom);
          const onMapM = distanceM({ lon: 0, lat }, { lon: widthDeg, lat });
          const namedM = Number(amount) * (METRES.get(name) ?? Number.NaN);
          expect(Math.abs(onMapM / namedM - 1)).toBeLessThan(0.001);
          expect(widthPx).toBeGreaterThanOrEqual(SCALE_MAX_PX / 2);
          expect(widthPx).toBeLessThanOrEqual(SCALE_MAX_PX);
        },
      ),
    );
  });

  it.each([
    [0, 10, 'metric', '5\u00a0km'],
    [47, 15, 'metric', '100\u00a0m'],
    [47, 4.2, 'nautical', '100\u00a0nm'],
    [47, 15, 'nautical', '0.05\u00a0nm'],
    [47, 16.5, 'imperial', '100\u00a0ft'],
    [0, 1, 'metric', '3000\u00a0km'],
  ] as const)('at latitude %d and zoom %d in %s units reads %s', (lat, zoom, unit, text) => {
    expect(scaleBar(lat, zoom, unit).text).toBe(text);
  });
});
