import { expect, test } from 'vitest';
import { isShown, verdictOn } from '#lib/filter/track-filter.ts';
import { zoneOf } from './zone.fixture.ts';
import { filterOfZone } from './zone-past.ts';

/** Whether a drone at a place and height was in the zone. */
function wasIn(zone: Parameters<typeof filterOfZone>[0], lon: number, lat: number, heightM = Number.NaN): boolean {
  const filter = filterOfZone(zone);
  const record = {
    flags: 0,
    observedAtMs: 0,
    lon,
    lat,
    isEmergency: false,
    confidence: undefined,
    measure: () => heightM,
  };
  return isShown(filter, verdictOn(filter, record, 0, undefined));
}

test('the shape of a zone decides what was in it, and not its box', () => {
  const zone = zoneOf(1, {
    shape: {
      type: 'Corridor',
      line: [
        [8, 47],
        [8.1, 47],
        [8.1, 47.1],
      ],
      half_width_m: 500,
    },
  });
  expect(wasIn(zone, 8.05, 47.001)).toBe(true);
  expect(wasIn(zone, 8.02, 47.08)).toBe(false);
  const ring = (size: number): [number, number][] =>
    (
      [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
        [-1, -1],
      ] as const
    ).map(([x, y]) => [8 + x * size, 47 + y * size]);
  const holed = zoneOf(2, { shape: { type: 'Polygon', coordinates: [ring(0.1), ring(0.05)] } });
  expect([wasIn(holed, 8, 47), wasIn(holed, 8.07, 47)]).toEqual([false, true]);
});

test('the heights of a zone decide, too: with its ceiling, and with unknown ones as the zone says', () => {
  const vertical = { field: 'height_agl_m', floor_m: 0, ceiling_m: 150, unknown: 'flagged' } as const;
  const at = (heightM: number | undefined, unknown: 'flagged' | 'excluded' = 'flagged') =>
    wasIn(zoneOf(1, { vertical: { ...vertical, unknown } }), 8.2, 46.9, heightM);
  expect([at(0), at(150), at(150.1), at(undefined), at(undefined, 'excluded')]).toEqual([
    true,
    true,
    false,
    true,
    false,
  ]);
});
