import { describe, expect, test } from 'vitest';
import { CELL_AREA_KM2, lakeOutlines } from './lakes.ts';
import { approximateAreaKm2, type Ring, ringContains } from './planar-ring.ts';

const AREA_MIN_CELLS = 2 / CELL_AREA_KM2;

function box(west: number, south: number, east: number, north: number): Ring {
  return [
    [west, south],
    [west, north],
    [east, north],
    [east, south],
    [west, south],
  ];
}

describe('lakeOutlines', () => {
  test('joins pieces a kilometre apart, keeping their extent and roughly their area', () => {
    const upper = box(8.5, 47.3, 8.6, 47.35);
    const lower = box(8.5, 47.22, 8.6, 47.29);
    const lakes = lakeOutlines([[upper], [lower]], AREA_MIN_CELLS);
    expect(lakes).toHaveLength(1);
    const outline = lakes[0]![0]!;
    const both = approximateAreaKm2(box(8.5, 47.22, 8.6, 47.35));
    expect(approximateAreaKm2(outline)).toBeGreaterThan(both * 0.9);
    expect(approximateAreaKm2(outline)).toBeLessThan(both * 1.1);
    expect(ringContains(outline, [8.55, 47.295])).toBe(true);
    for (const [lon, lat] of outline) {
      expect(lon).toBeGreaterThan(8.49);
      expect(lon).toBeLessThan(8.61);
      expect(lat).toBeGreaterThan(47.21);
      expect(lat).toBeLessThan(47.36);
    }
  });

  test('keeps lakes that are kilometres apart separate', () => {
    expect(lakeOutlines([[box(8.5, 47.3, 8.6, 47.35)], [box(8.5, 47.2, 8.6, 47.25)]], AREA_MIN_CELLS)).toHaveLength(2);
  });

  test('keeps a large island and fills a small one', () => {
    const island = box(8.54, 47.24, 8.62, 47.3);
    const islet = box(8.66, 47.27, 8.663, 47.272);
    const [lake] = lakeOutlines([[box(8.4, 47.15, 8.8, 47.4), island, islet]], AREA_MIN_CELLS);
    expect(lake).toHaveLength(2);
    expect(ringContains(lake![1]!, [8.58, 47.27])).toBe(true);
  });

  test('does not flood the land between many small lakes', () => {
    const lakes = Array.from({ length: 25 }, (_, i): Ring[] => {
      const [west, south] = [150 + (i % 5) * 0.06, 69 + Math.floor(i / 5) * 0.025];
      return [box(west, south, west + 0.03, south + 0.012)];
    });
    const waterKm2 = lakes.reduce((sum, [lake]) => sum + approximateAreaKm2(lake!), 0);
    const drawnKm2 = lakeOutlines(lakes, 1).reduce((sum, [outline]) => sum + approximateAreaKm2(outline!), 0);
    expect(drawnKm2).toBeLessThan(waterKm2 * 1.2);
  });

  test('drops ponds', () => {
    expect(lakeOutlines([[box(8.5, 47.3, 8.51, 47.305)]], AREA_MIN_CELLS)).toEqual([]);
  });

  test('returns closed rings', () => {
    for (const ring of lakeOutlines([[box(8.4, 47.15, 8.8, 47.4)]], AREA_MIN_CELLS).flat()) {
      expect(ring.at(-1)).toEqual(ring[0]);
    }
  });
});
