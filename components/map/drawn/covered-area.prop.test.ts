import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyBbox } from '#lib/geo/arbitrary-bbox.fixture.ts';
import { type Bbox, crossesAntimeridian, latSpanDeg, lonSpanDeg, splitAtAntimeridian } from '#lib/geo/bbox.ts';
import { coveredOutline } from './covered-area.ts';

const boxes = anyBbox.filter((bbox) => lonSpanDeg(bbox) > 0.001 && latSpanDeg(bbox) > 0.001);

function edges(ring: readonly GeoJSON.Position[]) {
  const [lons, lats] = [0, 1].map((axis) => ring.map((position) => position[axis] as number)) as [number[], number[]];
  return { west: Math.min(...lons), south: Math.min(...lats), east: Math.max(...lons), north: Math.max(...lats) };
}
const squareDegrees = ({ west, south, east, north }: Bbox) => (east - west) * (north - south);

const geometries = (covered: readonly Bbox[]) => coveredOutline(covered).features.map(({ geometry }) => geometry);
const lines = (covered: readonly Bbox[]) => geometries(covered).filter((shape) => shape.type === 'LineString');

describe('coveredOutline', () => {
  test('frames the area as one box, even if it comes in two halves across 180°', () => {
    fc.assert(
      fc.property(boxes, (bbox) => {
        const [frame, ...others] = lines(splitAtAntimeridian(bbox));
        expect(others).toEqual([]);
        const framed = edges(frame?.coordinates ?? []);
        expect(framed.east - framed.west).toBeCloseTo(lonSpanDeg(bbox), 9);
        expect([framed.south, framed.north]).toEqual([bbox.south, bbox.north]);
        const onAntimeridian = frame?.coordinates.filter(([lon]) => Math.abs(lon as number) === 180) ?? [];
        if (crossesAntimeridian(bbox) && bbox.west !== 180 && bbox.east !== -180) expect(onAntimeridian).toEqual([]);
      }),
    );
  });

  test('shades the rest of the world exactly once, and nothing of the area', () => {
    fc.assert(
      fc.property(boxes, (bbox) => {
        const covered = splitAtAntimeridian(bbox);
        const area = edges(lines(covered)[0]?.coordinates ?? []);
        const shades = geometries(covered).flatMap((shape) =>
          shape.type === 'Polygon' ? [edges(shape.coordinates.flat())] : [],
        );
        const shaded = shades.reduce((sum, rectangle) => sum + squareDegrees(rectangle), 0);
        expect(shaded + squareDegrees(area)).toBeCloseTo(360 * 180, 4);
        for (const { west, south, east, north } of shades) {
          const beside = west >= area.east || east <= area.west || south >= area.north || north <= area.south;
          expect(beside).toBe(true);
        }
      }),
    );
  });
});
