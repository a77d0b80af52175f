import path from 'node:path';
import { expect, test } from 'vitest';
import { builtArchive, ROOT } from '../../../scripts/basemap/built-archive.fixture.ts';
import { GROUND_STEPS, groundMap } from './ground-map.ts';

builtArchive('/basemap/lookout.pmtiles');

const ZURICH = { west: 8.4, south: 47.35, east: 8.7, north: 47.55 };

test('reads lakes, borders, towns and runways around an area, in few bytes', async () => {
  const map = await groundMap(ZURICH, path.join(ROOT, 'public/basemap'));
  expect(map.lines.lakes.length).toBeGreaterThan(0);
  expect(map.lines.borders.length).toBeGreaterThan(0);
  expect(map.lines.runways.length).toBeGreaterThan(2);
  expect(map.places.map(([name]) => name)).toContain('Zürich');
  const [, lon, lat] = map.airports.find(([name]) => name === 'LSZH') ?? [];
  expect(Math.abs((lon ?? 0) / GROUND_STEPS - 8.549)).toBeLessThan(0.01);
  expect(Math.abs((lat ?? 0) / GROUND_STEPS - 47.458)).toBeLessThan(0.01);
  expect(map.attribution).toContain('OpenStreetMap');
  expect(map.covered?.west).toBeLessThan(ZURICH.west);
  expect(JSON.stringify(map).length).toBeLessThan(200_000);
});

test('the antimeridian and a large area need no more', async () => {
  for (const bounds of [
    { west: 179, south: -18, east: 181, north: -16 },
    { west: -20, south: 30, east: 40, north: 65 },
  ]) {
    const map = await groundMap(bounds, path.join(ROOT, 'public/basemap'));
    expect(map.lines.coast.length).toBeGreaterThan(0);
    expect(JSON.stringify(map).length).toBeLessThan(600_000);
  }
});

test('without the archives, the map is empty', async () => {
  const map = await groundMap(ZURICH, path.join(ROOT, 'public/no-basemap'));
  expect(map.covered).toBeUndefined();
  expect(map.lines.land).toEqual([]);
  expect(map.attribution).toBe('');
});
