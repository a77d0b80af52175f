import { expect, test } from 'vitest';
import type { ZoneShape } from '#lib/zones/zone.ts';
import { drawnShape, editableFeature } from './drawn-zone-draft.tsx';

const POLYGON: ZoneShape = {
  type: 'Polygon',
  coordinates: [
    [
      [8.5, 47.4],
      [8.6, 47.4],
      [8.6, 47.5],
      [8.5, 47.4],
    ],
  ],
};
const CORRIDOR: ZoneShape = {
  type: 'Corridor',
  line: [
    [8.5, 47.4],
    [8.6, 47.5],
  ],
  half_width_m: 700,
};

test('a shape that is edited and not moved stays the same', () => {
  for (const shape of [POLYGON, CORRIDOR]) {
    const feature = editableFeature(shape);
    expect(feature && drawnShape(shape.type, feature, 700)).toEqual(shape);
  }
  const feature = editableFeature({ type: 'Circle', centre: [8.5, 47.4], radius_m: 2000 });
  const circle = feature && drawnShape('Circle', feature, 0);
  if (circle?.type !== 'Circle') throw new Error('no circle');
  expect(circle.radius_m).toBeCloseTo(2000, -1);
  expect(circle.centre[0]).toBeCloseTo(8.5, 5);
  expect(circle.centre[1]).toBeCloseTo(47.4, 5);
});

test('holes and shapes across 180° are not edited on the map', () => {
  const [ring = []] = POLYGON.coordinates;
  expect(editableFeature({ type: 'Polygon', coordinates: [ring, ring] })).toBeUndefined();
  expect(
    editableFeature({
      type: 'Corridor',
      line: [
        [179, 0],
        [-179, 0],
      ],
      half_width_m: 1,
    }),
  ).toBeUndefined();
  expect(editableFeature({ type: 'Circle', centre: [180, 0], radius_m: 5000 })).toBeUndefined();
});

test('longitudes of a shape that was drawn in another copy of the world are wrapped', () => {
  const geometry = {
    type: 'LineString' as const,
    coordinates: [
      [361, 0],
      [362, 0],
    ],
  };
  expect(drawnShape('Corridor', { geometry }, 5)).toEqual({
    type: 'Corridor',
    line: [
      [1, 0],
      [2, 0],
    ],
    half_width_m: 5,
  });
});
