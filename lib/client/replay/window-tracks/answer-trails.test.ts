import { expect, test } from 'vitest';
import type { Area } from '#lib/geo/area.ts';
import { destination } from '#lib/geo/great-circle.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { type AnswerTrail, nearestOf } from './answer-trails.ts';

const MIDDLE = { lon: 8.55, lat: 47.46 };
const AREA: Area = { kind: 'circle', centre: MIDDLE, radiusM: 1000 };
const START = upstreamInstant(Date.UTC(2026, 10, 27, 12));
const trail = (ref: string, kind: AnswerTrail['kind'], ...awayM: number[]): AnswerTrail => ({
  ref,
  kind,
  points: awayM.map((metres, index) => ({ ...destination(MIDDLE, 90, metres), at: addMs(START, index * 1000) })),
});

test('the nearest drone inside is nearest to the middle, and otherwise to the edge', () => {
  const far = trail('far', 'drone', 5000, 1500, 3000);
  const aircraft = trail('aircraft', 'aircraft', 10);
  const outside = nearestOf('drone', AREA, MIDDLE, [far, aircraft]);
  expect(outside).toMatchObject({ ref: 'far', isInside: false, at: addMs(START, 1000) });
  expect(outside?.distanceM).toBeCloseTo(500, 0);
  const inside = nearestOf('drone', AREA, MIDDLE, [
    far,
    trail('in', 'drone', 900, 240, 400),
    trail('out', 'drone', 1001),
  ]);
  expect(inside).toMatchObject({ ref: 'in', isInside: true, at: addMs(START, 1000) });
  expect(inside?.distanceM).toBeCloseTo(240, 0);
  expect(nearestOf('drone', AREA, MIDDLE, [aircraft])).toBeUndefined();
});
