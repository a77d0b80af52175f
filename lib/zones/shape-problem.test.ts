import { describe, expect, test } from 'vitest';
import { boxRing } from '#lib/geo/bbox.ts';
import { shapeProblem } from './shape-problem.ts';
import { shapeSchema, type ZoneShape } from './zone.ts';
import { ZONE_CORNERS_MAX } from './zone-limits.ts';

type Ring = [number, number][];

const square = (west: number, south: number, sizeDeg: number): Ring =>
  boxRing({ west, south, east: west + sizeDeg, north: south + sizeDeg });
/** Reads a ring from `lon lat, lon lat`. */
const ring = (text: string): Ring =>
  text.split(', ').map((corner) => corner.split(' ').map(Number) as [number, number]);
const polygon = (...coordinates: Ring[]): ZoneShape => ({ type: 'Polygon', coordinates });
const round = (corners: number): Ring => {
  const ring = Array.from({ length: corners }, (_, index): [number, number] => {
    const angle = (index / corners) * 2 * Math.PI;
    return [8 + Math.cos(angle), 47 + Math.sin(angle)];
  });
  return [...ring, ring[0] as [number, number]];
};

describe('a polygon', () => {
  test('may have holes, be concave, and cross 180°', () => {
    expect(shapeProblem(polygon(square(8, 47, 1), square(8.2, 47.2, 0.2), square(8.6, 47.6, 0.2)))).toBeUndefined();
    expect(shapeProblem(polygon(ring('8 47, 9 47, 8.5 47.3, 9 48, 8 47')))).toBeUndefined();
    expect(shapeProblem(polygon(ring('179 -17, -179 -17, -179 -16, 179 -16, 179 -17')))).toBeUndefined();
    expect(
      shapeProblem(
        polygon(
          ring('179 -17, -179 -17, -179 -15, 179 -15, 179 -17'),
          ring('179.5 -16.5, -179.5 -16.5, 180 -16, 179.5 -16.5'),
        ),
      ),
    ).toBeUndefined();
  });

  test('does not cross itself', () => {
    expect(shapeProblem(polygon(ring('8 47, 9 48, 9 47, 8 48, 8 47')))).toBe('The edge crosses itself: move a corner.');
    expect(shapeProblem(polygon(ring('179 -17, -179 -16, -179 -17, 179 -16, 179 -17')))).toBe(
      'The edge crosses itself: move a corner.',
    );
    expect(shapeProblem(polygon(square(8, 47, 1), ring('8.2 47.2, 8.4 47.4, 8.4 47.2, 8.2 47.4, 8.2 47.2')))).toBe(
      'The edge of a hole crosses itself: move a corner.',
    );
  });

  test('has holes inside its edge; one may touch it', () => {
    const words = 'A hole lies inside the edge: move its corners.';
    expect(shapeProblem(polygon(square(8, 47, 1), square(8.9, 47.2, 0.2)))).toBe(words);
    expect(shapeProblem(polygon(square(8, 47, 1), square(10, 47.2, 0.2)))).toBe(words);
    expect(
      shapeProblem(
        polygon(ring('8 47, 9 47, 8.5 47.2, 9 48, 8 48, 8 47'), ring('8.1 47.1, 8.8 47.05, 8.8 47.7, 8.1 47.1')),
      ),
    ).toBe(words);
    expect(shapeProblem(polygon(square(8, 47, 1), square(8, 47.2, 0.2)))).toBeUndefined();
  });

  test('is closed, and has at most 500 corners with those of its holes', () => {
    expect(shapeProblem(polygon(ring('8 47, 9 47, 9 48, 8 48')))).toBe('The last corner of a ring repeats the first.');
    expect(shapeProblem(polygon(round(ZONE_CORNERS_MAX)))).toBeUndefined();
    const many = polygon(round(ZONE_CORNERS_MAX - 2), square(8, 47, 0.1));
    expect(shapeProblem(many)).toBe('A zone has at most 500 corners; this one has 502.');
    expect(shapeSchema.safeParse(polygon(round(ZONE_CORNERS_MAX + 1))).success).toBe(false);
  });

  test('contains no pole and is less than 180° wide', () => {
    expect(shapeProblem(polygon(ring('0 80, 90 80, 180 80, -90 80, 0 80')))).toBe('A zone cannot contain a pole.');
    expect(shapeProblem(polygon(ring('0 80, 10 90, 20 80, 0 80')))).toBe('A zone cannot contain a pole.');
    expect(shapeProblem(polygon(ring('0 0, 100 0, -170 0, -170 10, 100 10, 0 10, 0 0')))).toBe(
      'A zone is less than 180° wide.',
    );
  });
});

describe('a circle and a corridor', () => {
  test('contain no pole', () => {
    expect(shapeProblem({ type: 'Circle', centre: [8, 89.99], radius_m: 2000 })).toBe(
      'A circle cannot contain a pole.',
    );
    expect(shapeProblem({ type: 'Circle', centre: [180, 60], radius_m: 2000 })).toBeUndefined();
    expect(
      shapeProblem({
        type: 'Corridor',
        line: [
          [0, 80],
          [10, 89.99],
        ],
        half_width_m: 2000,
      }),
    ).toBe('A zone cannot contain a pole.');
  });

  test('of a line may cross itself and 180°, and is less than 180° wide', () => {
    expect(
      shapeProblem({
        type: 'Corridor',
        line: ring('179 1, -179 0, -179 1, 179 0'),
        half_width_m: 500,
      }),
    ).toBeUndefined();
    expect(
      shapeProblem({
        type: 'Corridor',
        line: ring('-100 0, 0 0, 100 0'),
        half_width_m: 500,
      }),
    ).toBe('A zone is less than 180° wide.');
  });
});
