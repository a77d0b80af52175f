import { describe, expect, test } from 'vitest';
import type { Bbox } from '#lib/geo/bbox.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { gapBoxes, gapLabels, gapsAt } from './drawn-past.tsx';
import { fiji, gap, layers, START_MS } from './replay-gaps.fixture.ts';

describe('gapBoxes', () => {
  const shown = (given: ReturnType<typeof layers>) => gapBoxes(gapsAt(given, upstreamInstant(START_MS))).features;

  test('a box is shown once, however many gaps it has', () => {
    expect(shown(layers({ adsb: [gap(0, 1), gap(-1, 1)], rid: [gap(0, 2)] })).length).toBe(1);
    expect(shown(layers({ adsb: [gap(0, 1)], rid: [gap(0, 1, fiji)] })).length).toBe(2);
  });

  test('a box across 180° is one box on the map, at its true width', () => {
    const [place] = shown(layers({ adsb: [gap(0, 1, fiji)] }));
    const lons = place?.geometry.coordinates.flat().map(([lon]) => lon as number) ?? [];
    expect([Math.min(...lons), Math.max(...lons)]).toEqual([178, 181]);
  });
});

describe('gapLabels', () => {
  const world: Bbox = { west: -180, south: -80, east: 180, north: 80 };
  const shown = (given: ReturnType<typeof layers>, visible = world) =>
    gapLabels(gapsAt(given, upstreamInstant(START_MS)), visible).features.map(({ geometry, properties }) => [
      properties.text,
      ...geometry.coordinates,
    ]);

  test('names the incomplete layers once for each box', () => {
    expect(shown(layers({ adsb: [gap(0, 1), gap(-1, 1)] }))).toEqual([['Aircraft incomplete', 8, 48]]);
    expect(shown(layers({ adsb: [gap(0, 1)], rid: [gap(0, 2)] }))).toEqual([['Aircraft and drones incomplete', 8, 48]]);
    expect(shown(layers({ rid: [gap(0, 1, fiji)] }))).toEqual([['Drones incomplete', -179, -16]]);
  });

  test('is in the corner of the visible part of the box, and absent if none of it is visible', () => {
    const given = layers({ adsb: [gap(0, 1)] });
    expect(shown(given, { west: 7.2, south: 47.2, east: 7.4, north: 47.4 })).toEqual([
      ['Aircraft incomplete', 7.4, 47.4],
    ]);
    expect(shown(given, { west: 6, south: 46, east: 7.5, north: 47.5 })).toEqual([['Aircraft incomplete', 7.5, 47.5]]);
    expect(shown(given, { west: 9, south: 47.2, east: 10, north: 47.4 })).toEqual([]);
    expect(shown(given, { west: 7.2, south: 48, east: 7.4, north: 49 })).toEqual([]);
  });

  test('finds a box across 180° from both sides', () => {
    const given = layers({ adsb: [gap(0, 1, fiji)] });
    const around = (west: number, east: number) =>
      shown(given, { west, south: -20, east, north: -15 }).map(([, lon, lat]) => [
        ((Number(lon) + 540) % 360) - 180,
        lat,
      ]);
    expect(around(177, 179)).toEqual([[179, -16]]);
    expect(around(-179.9, -178)).toEqual([[-179, -16]]);
    expect(around(177, -179.5)).toEqual([[-179.5, -16]]);
  });
});
