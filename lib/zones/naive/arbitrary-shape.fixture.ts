import fc from 'fast-check';
import { destination, type LonLat } from '#lib/geo/great-circle.ts';
import type { ZoneShape } from '../zone.ts';

const corner = ({ lon, lat }: LonLat): [number, number] => [lon, lat];

export function shapesNear(around: LonLat): fc.Arbitrary<ZoneShape> {
  const place = fc
    .record({ course: fc.integer({ min: 0, max: 359 }), lengthM: fc.integer({ min: 0, max: 1500 }) })
    .map(({ course, lengthM }) => destination(around, course, lengthM));
  const polygon = (centre: LonLat, hole: boolean): ZoneShape => {
    const ring = (radiusM: number) =>
      [0, 90, 180, 270, 0].map((course) => corner(destination(centre, course, radiusM)));
    return { type: 'Polygon', coordinates: hole ? [ring(900), ring(300)] : [ring(900)] };
  };
  return fc.oneof(
    fc
      .record({ centre: place, radius_m: fc.integer({ min: 50, max: 1500 }) })
      .map(({ centre, radius_m }): ZoneShape => ({ type: 'Circle', centre: corner(centre), radius_m })),
    fc.tuple(place, fc.boolean()).map(([centre, hole]) => polygon(centre, hole)),
    fc
      .record({
        line: fc.array(place, { minLength: 2, maxLength: 4 }),
        half_width_m: fc.integer({ min: 50, max: 400 }),
      })
      .map(({ line, half_width_m }): ZoneShape => ({ type: 'Corridor', line: line.map(corner), half_width_m })),
  );
}
