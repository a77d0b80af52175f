import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Zone } from '#lib/api/watching/zones.ts';
import type { Rgb } from '#lib/model/altitude-colour.ts';
import { COLOUR_BLIND, colourDifference, seenBy } from '#lib/model/colour-vision.fixture.ts';
import { rgbOfHex } from '#lib/model/contrast.fixture.ts';
import { ZONE_TONES, zoneTone } from '#lib/model/zone-tones.ts';
import { instantOf } from '#lib/time/instant.ts';
import { groundOf } from '#lib/zones/ground.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';
import { basemapPalette } from '../basemap/basemap-palette.ts';
import { BAND_DASHES, BAND_OPACITY, changesBefore, fillsView, layerOpacity, pileSizes } from './drawn-zones.tsx';

const at = (time: string) => `2026-11-27T${time}Z`;
const zone = (id: string, changed: string, removed: string | null = null) => ({
  zone: { id, changed_at: at(changed), removed_at: removed && at(removed) } as Zone,
});

test('a zone that is removed or changed within the minute leaves a replay at that second', () => {
  const past = [zone('removed', '11:00:00', '12:00:20'), zone('changed', '11:00:00')];
  const present = [zone('changed', '12:00:40'), zone('new', '12:00:30'), zone('old', '11:00:00')];
  const shown = (time: string) => {
    const { changed, removed } = changesBefore(instantOf(at(time)), past, present);
    const ids = past
      .map((each) => each.zone.id)
      .filter((id) => !removed.includes(id) && changed.every((each) => each.id !== id));
    return [...ids, ...changed.map(({ id, changed_at }) => `${id} of ${changed_at.slice(11, 19)}`)];
  };
  expect(shown('12:00:10')).toEqual(['removed', 'changed']);
  expect(shown('12:00:20')).toEqual(['changed']);
  expect(shown('12:00:59')).toEqual(['changed of 12:00:40', 'new of 12:00:30']);
});

describe('zones on the map', () => {
  const circle = fc.record({
    lon: fc.double({ min: 8, max: 8.2, noNaN: true }),
    lat: fc.double({ min: 47, max: 47.2, noNaN: true }),
    radiusM: fc.integer({ min: 200, max: 20_000 }),
  });
  const shapeOf = ({ lon, lat, radiusM }: { lon: number; lat: number; radiusM: number }): ZoneShape => ({
    type: 'Circle',
    centre: [lon, lat],
    radius_m: radiusM,
  });

  test('however many lie over each other, their bands are never more opaque than one may be', () => {
    const places = fc.array(
      fc.tuple(fc.double({ min: 8, max: 8.2, noNaN: true }), fc.double({ min: 47, max: 47.2, noNaN: true })),
      { minLength: 20, maxLength: 20 },
    );
    fc.assert(
      fc.property(fc.array(circle, { minLength: 1, maxLength: 25 }), places, (circles, at) => {
        const shapes = circles.map(shapeOf);
        const piles = pileSizes(shapes);
        for (const [lon, lat] of at) {
          const covering = shapes.flatMap((shape, index) =>
            groundOf(shape).contains(lon, lat) ? [piles[index] as number] : [],
          );
          const seenThrough = covering.reduce((part, pile) => part * (1 - layerOpacity(BAND_OPACITY.lit, pile)), 1);
          expect(1 - seenThrough).toBeLessThan(BAND_OPACITY.lit + 1e-9);
        }
      }),
    );
    expect(layerOpacity(BAND_OPACITY.lit, 1)).toBeCloseTo(BAND_OPACITY.lit);
  });

  test('a view is inside a zone only if no edge of it can be seen', () => {
    const zone = shapeOf({ lon: 8.5, lat: 47.5, radiusM: 15_000 });
    const view = (halfDeg: number, lon = 8.5) => ({
      west: lon - halfDeg,
      east: lon + halfDeg,
      south: 47.5 - halfDeg,
      north: 47.5 + halfDeg,
    });
    expect(fillsView(zone, view(0.05))).toBe(true);
    expect(fillsView(zone, view(0.2))).toBe(false);
    expect(fillsView(zone, view(0.05, 8.7))).toBe(false);
    const holed: ZoneShape = {
      type: 'Polygon',
      coordinates: [
        [
          [8, 47],
          [9, 47],
          [9, 48],
          [8, 48],
          [8, 47],
        ],
        [
          [8.49, 47.49],
          [8.49, 47.51],
          [8.51, 47.51],
          [8.51, 47.49],
          [8.49, 47.49],
        ],
      ],
    };
    expect(fillsView(holed, view(0.05)), 'around a hole').toBe(false);
    expect(fillsView(holed, view(0.05, 8.7))).toBe(true);
    const dateline = shapeOf({ lon: 180, lat: 47.5, radiusM: 15_000 });
    expect(fillsView(dateline, { west: 179.95, east: -179.95, south: 47.45, north: 47.55 })).toBe(true);
  });

  test('a zone keeps its tone, and all tones are used about as often', () => {
    const tones = Array.from({ length: 400 }, (_, index) => zoneTone(`zone-${index}`));
    expect(tones).toEqual(Array.from({ length: 400 }, (_, index) => zoneTone(`zone-${index}`)));
    for (const tone of ZONE_TONES.dark.keys())
      expect(tones.filter((other) => other === tone).length).toBeGreaterThan(60);
  });

  test.each(['dark', 'light'] as const)(
    'on the %s map their tones differ from each other and from the land',
    (theme) => {
      const { land, water } = basemapPalette(theme);
      const tones = ZONE_TONES[theme].map(rgbOfHex);
      for (const eye of [
        (rgb: Rgb) => rgb,
        ...Object.values(COLOUR_BLIND).map((matrix) => (rgb: Rgb) => seenBy(matrix, rgb)),
      ])
        for (const [index, tone] of tones.entries()) {
          for (const other of tones.slice(index + 1))
            expect(colourDifference(eye(tone), eye(other))).toBeGreaterThan(9);
          for (const ground of [land, water].map(rgbOfHex))
            expect(colourDifference(eye(tone), eye(ground))).toBeGreaterThan(18);
        }
    },
  );
});

test('the band of each tone has dashes of its own that MapLibre draws', () => {
  expect(BAND_DASHES).toHaveLength(ZONE_TONES.dark.length);
  expect(new Set(BAND_DASHES.map(([dash, gap]) => dash / (dash + gap))).size).toBe(BAND_DASHES.length);
  for (const [dash, gap] of BAND_DASHES) expect(dash + gap).toBeGreaterThanOrEqual(1);
});
