import { describe, expect, test } from 'vitest';

import { borderShapes, coastShapes, flatLines, flatPolygons, landShapes } from './flat-shapes.ts';
import { type Ring, signedArea } from './planar-ring.ts';
import { readCountries } from './read-package-data.ts';

function longestStepDeg(path: Ring): number {
  return Math.max(
    ...path.slice(1).map(([lon, lat], i) => {
      const [previousLon, previousLat] = path[i]!;
      return Math.abs(lat) === 90 && previousLat === lat ? 0 : Math.abs(lon - previousLon);
    }),
  );
}

function earthShare(ring: Ring): number {
  const integral = ring.slice(1).reduce((sum, [lon, lat], i) => {
    const [previousLon, previousLat] = ring[i]!;
    return sum + (lon - previousLon) * Math.sin((((lat + previousLat) / 2) * Math.PI) / 180);
  }, 0);
  return Math.abs(integral) / 720;
}

describe('flatPolygons', () => {
  test('leaves a polygon away from 180° unchanged', () => {
    const square: Ring = [
      [10, 10],
      [10, 20],
      [20, 20],
      [20, 10],
      [10, 10],
    ];
    expect(flatPolygons([square])).toEqual([[square]]);
  });

  test('splits an island on 180° into two polygons, and puts its hole into the right half', () => {
    const island: Ring = [
      [179, -17],
      [179, -16],
      [-179, -16],
      [-179, -17],
      [179, -17],
    ];
    const lake: Ring = [
      [179.4, -16.6],
      [179.6, -16.6],
      [179.6, -16.4],
      [179.4, -16.4],
      [179.4, -16.6],
    ];
    const parts = flatPolygons([island, lake]);
    expect(parts).toHaveLength(2);
    const east = parts.find(([outline]) => outline!.every(([lon]) => lon <= 0))!;
    const west = parts.find(([outline]) => outline!.every(([lon]) => lon >= 0))!;
    expect(east).toHaveLength(1);
    expect(west).toHaveLength(2);
    expect(Math.abs(signedArea(east[0]!))).toBeCloseTo(1, 2);
    expect(Math.abs(signedArea(west[0]!))).toBeCloseTo(1, 2);
  });

  test('drops rings without area', () => {
    expect(
      flatPolygons([
        [
          [5, 5],
          [6, 6],
          [5, 5],
          [5, 5],
        ],
      ]),
    ).toEqual([]);
  });
});

test('flatLines splits a line across 180° into two parts', () => {
  const parts = flatLines([
    [170, 10],
    [-170, 10],
  ]);
  expect(parts).toHaveLength(2);
  for (const part of parts) expect(longestStepDeg(part)).toBeLessThanOrEqual(10.001);
});

test('flatLines drops steps along 180°', () => {
  const parts = flatLines([
    [175, 69],
    [180, 69],
    [180, 65],
    [178, 64],
  ]);
  expect(parts).toEqual([
    [
      [175, 69],
      [180, 69],
    ],
    [
      [180, 65],
      [178, 64],
    ],
  ]);
});

describe('the world', () => {
  const countries = readCountries();
  const land = landShapes(countries);
  const outlines = land.map(({ geometry }) => geometry.coordinates as unknown as Ring[]);

  test('has no edge that crosses the map, in any layer', () => {
    for (const rings of outlines) for (const ring of rings) expect(longestStepDeg(ring)).toBeLessThanOrEqual(180);
    for (const { geometry } of [...coastShapes(countries), ...borderShapes(countries)]) {
      expect(longestStepDeg(geometry.coordinates as unknown as Ring)).toBeLessThanOrEqual(180);
    }
  });

  test('stays within ±180 and ±90 degrees', () => {
    // A million assertions would take seconds.
    const beyond = outlines.flat(2).filter(([lon, lat]) => Math.abs(lon) > 180 || Math.abs(lat) > 90);
    expect(beyond).toEqual([]);
  });

  test('has Antarctica closed along the whole bottom edge', () => {
    const bottom = outlines.flat().filter((ring) => ring.some(([, lat]) => lat === -90));
    expect(bottom).toHaveLength(1);
    const lons = bottom[0]!.filter(([, lat]) => lat === -90).map(([lon]) => lon);
    expect(Math.min(...lons)).toBe(-180);
    expect(Math.max(...lons)).toBe(180);
  });

  test('has 29% of the Earth as land: nothing turned inside out, nothing lost', () => {
    const shares = outlines.map(
      ([outline, ...holes]) => earthShare(outline!) - holes.reduce((sum, hole) => sum + earthShare(hole), 0),
    );
    const total = shares.reduce((sum, share) => sum + share, 0);
    expect(total).toBeGreaterThan(0.285);
    expect(total).toBeLessThan(0.295);
  });

  test('has no coast along 180° or a pole', () => {
    const lines = coastShapes(countries).map(({ geometry }) => geometry.coordinates as unknown as Ring);
    const along180 = lines.flatMap((line) =>
      line.filter(([lon], i) => i > 0 && Math.abs(lon) === 180 && lon === line[i - 1]![0]),
    );
    expect(along180).toEqual([]);
    expect(lines.flat().filter(([, lat]) => Math.abs(lat) >= 90)).toEqual([]);
  });
});
