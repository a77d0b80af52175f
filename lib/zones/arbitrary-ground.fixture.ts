import fc from 'fast-check';
import { destination, type LonLat } from '#lib/geo/great-circle.ts';
import type { ZoneShape } from './zone.ts';

const middle = fc.constantFrom<LonLat>({ lon: 8.5, lat: 47.4 }, { lon: 179.999, lat: -16 }, { lon: -179.99, lat: 68 });
const near = (around: LonLat, lengthM: number) =>
  fc
    .record({ course: fc.integer({ min: 0, max: 359 }), away: fc.integer({ min: 0, max: lengthM }) })
    .map(({ course, away }) => destination(around, course, away));

/** A shape of a zone and two places around it. @param rounded degrees of its corners */
export function groundWorld(
  rounded = (deg: number) => deg,
): fc.Arbitrary<[shape: ZoneShape, place: LonLat, other: LonLat]> {
  const corner = ({ lon, lat }: LonLat): [number, number] => [rounded(lon), rounded(lat)];
  const shapes = (around: LonLat): fc.Arbitrary<ZoneShape> => {
    const ring = (radiusM: number) =>
      [0, 72, 144, 216, 288, 0].map((course) => corner(destination(around, course, radiusM)));
    return fc.oneof(
      near(around, 2000).map((centre): ZoneShape => ({ type: 'Circle', centre: corner(centre), radius_m: 700 })),
      fc.constant<ZoneShape>({ type: 'Polygon', coordinates: [ring(1800), ring(900)] }),
      fc
        .array(near(around, 2000), { minLength: 2, maxLength: 4 })
        .map((line): ZoneShape => ({ type: 'Corridor', line: line.map(corner), half_width_m: 300 })),
    );
  };
  return middle.chain((around) => fc.tuple(shapes(around), near(around, 4000), near(around, 4000)));
}
