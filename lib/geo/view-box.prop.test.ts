import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimal } from './arbitrary-bbox.fixture.ts';
import { bboxContains, latSpanDeg, lonSpanDeg } from './bbox.ts';
import { cameraOf, viewBox } from './view-box.ts';

const camera = fc.record({ lon: decimal(-180, 179), lat: decimal(-84, 84), zoom: decimal(1, 18) });
const size = fc.record({ width: fc.integer({ min: 40, max: 2560 }), height: fc.integer({ min: 40, max: 1440 }) });

test('a view is a box on the globe that contains its middle', () => {
  fc.assert(
    fc.property(camera, size, (at, px) => {
      const box = viewBox(at, px);
      expect(box.south).toBeGreaterThanOrEqual(-90);
      expect(box.north).toBeLessThanOrEqual(90);
      expect(Math.abs(box.west)).toBeLessThanOrEqual(180);
      expect(Math.abs(box.east)).toBeLessThanOrEqual(180);
      expect(bboxContains(box, at.lon, at.lat)).toBe(true);
    }),
  );
});

test('a view that is fitted to its own box is the same again', () => {
  fc.assert(
    fc.property(camera, size, (at, px) => {
      const box = viewBox({ ...at, lat: at.lat / 2, zoom: at.zoom + 2 }, px);
      fc.pre(lonSpanDeg(box) < 180 && latSpanDeg(box) < 90);
      const fitted = cameraOf({ ...box, east: box.west + lonSpanDeg(box) }, px, 22);
      const again = viewBox(fitted, px);
      for (const edge of ['south', 'north'] as const) expect(again[edge]).toBeCloseTo(box[edge], 6);
      expect(lonSpanDeg(again)).toBeCloseTo(lonSpanDeg(box), 6);
    }),
  );
});

test('nothing is fitted closer than the closest zoom', () => {
  expect(cameraOf({ west: 8, south: 47, east: 8, north: 47 }, { width: 800, height: 600 }, 11).zoom).toBe(11);
});
