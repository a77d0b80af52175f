import fc from 'fast-check';
import type { Bbox } from '#lib/geo/bbox.ts';
import { decimal } from '../../../geo/arbitrary-bbox.fixture.ts';
import { CountGrid } from './densities.ts';
import type { Expected } from './request-cost.ts';

/** Some have no width or height; many are at an edge of the world. */
function boxAround(lon: number, lat: number, spreadDeg: number): fc.Arbitrary<Bbox> {
  const spanDeg = fc.oneof(decimal(0, 30), decimal(0, 1), fc.constantFrom(0, 30));
  return fc
    .record({
      west: decimal(-spreadDeg, spreadDeg),
      south: decimal(-spreadDeg, spreadDeg),
      width: spanDeg,
      height: spanDeg,
    })
    .map(({ west, south, width, height }) => {
      const from = { lon: within(180, lon + west), lat: within(90, lat + south) };
      return {
        west: from.lon,
        south: from.lat,
        east: within(180, from.lon + width),
        north: within(90, from.lat + height),
      };
    })
    .filter(({ west, south, east, north }) => east - west <= 30 && north - south <= 30);
}

/** Some viewports are in it twice. */
export const anyViewports: fc.Arbitrary<readonly Bbox[]> = fc
  .tuple(fc.constantFrom(-180, 0, 8.5, 165, 180), fc.constantFrom(-90, 0, 47, 90), fc.constantFrom(3, 12, 40))
  .chain(([lon, lat, spreadDeg]) => fc.array(boxAround(lon, lat, spreadDeg), { minLength: 1, maxLength: 8 }))
  .chain((boxes) =>
    fc.shuffledSubarray(boxes, { maxLength: Math.min(2, boxes.length) }).map((again) => [...boxes, ...again]),
  );

/** Up to eight pages in an area of maximum size. */
export const anyExpected: fc.Arbitrary<Expected> = fc
  .record({
    scale: fc.constantFrom(0, 0.3, 1, 3, 8),
    crowds: fc.array(
      fc.record({
        lon: fc.oneof(decimal(-180, 180), fc.constantFrom(-179.9, 8.6, 179.9)),
        lat: fc.oneof(decimal(-90, 90), fc.constantFrom(-89.9, 0.1, 47.3)),
        records: fc.integer({ min: 1, max: 2000 }),
      }),
      { maxLength: 5 },
    ),
  })
  .map(({ scale, crowds }) => {
    const grid = new CountGrid();
    for (const { lon, lat, records } of crowds) {
      const around = {
        west: within(180, lon - 2),
        south: within(90, lat - 2),
        east: within(180, lon + 2),
        north: within(90, lat + 2),
      };
      grid.learn(
        around,
        Array.from({ length: records }, (_, index) => ({ lon: lon + (index % 4) / 4, lat })),
      );
    }
    return (bbox) => scale * grid.expected(bbox);
  });

function within(limit: number, deg: number): number {
  return Number(Math.max(-limit, Math.min(limit, deg)).toFixed(7));
}
