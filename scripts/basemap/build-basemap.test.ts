import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { VectorTile, type VectorTileLayer } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { describe, expect, test } from 'vitest';
import {
  BASEMAP_ARCHIVE_PATH,
  BASEMAP_ATTRIBUTION,
  BASEMAP_FONTS_PATH,
  BASEMAP_LAYER,
  BASEMAP_MAX_TILE_ZOOM,
  BASEMAP_TILE_EXTENT,
  type PlaceAttributes,
} from '#components/map/basemap/basemap-tileset.ts';
import { LABEL_FONT_FILES } from '#components/map/basemap/label-fonts.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { builtArchive, ROOT } from './built-archive.fixture.ts';
import { type Ring, ringContains } from './planar-ring.ts';

const archive = builtArchive(BASEMAP_ARCHIVE_PATH);

async function layersAt(z: number, x: number, y: number): Promise<Record<string, VectorTileLayer>> {
  const tile = await archive.reader().getZxy(z, x, y);
  return tile === undefined ? {} : new VectorTile(new PbfReader(tile.data)).layers;
}

async function covers(layerName: string, lon: number, lat: number): Promise<boolean> {
  const side = 2 ** BASEMAP_MAX_TILE_ZOOM;
  const [x, y] = [mercatorX(lon) * side, mercatorY(lat) * side];
  const layer = (await layersAt(BASEMAP_MAX_TILE_ZOOM, Math.floor(x), Math.floor(y)))[layerName];
  const point = [(x % 1) * BASEMAP_TILE_EXTENT, (y % 1) * BASEMAP_TILE_EXTENT] as const;
  let ringsAround = 0;
  for (let i = 0; i < (layer?.length ?? 0); i++) {
    for (const ring of layer!.feature(i).loadGeometry()) {
      if (
        ringContains(
          ring.map((p): Ring[number] => [p.x, p.y]),
          point,
        )
      )
        ringsAround += 1;
    }
  }
  return ringsAround % 2 === 1;
}

async function placesIn(z: number, x: number, y: number): Promise<PlaceAttributes[]> {
  const layer = (await layersAt(z, x, y))[BASEMAP_LAYER.places];
  return Array.from(
    { length: layer?.length ?? 0 },
    (_, i) => layer!.feature(i).properties as unknown as PlaceAttributes,
  );
}

describe('the built basemap', () => {
  test('is small enough to fetch and to rebuild', async () => {
    expect(statSync(archive.file).size).toBeLessThan(6_500_000);
    const { numAddressedTiles, minZoom, maxZoom } = await archive.reader().getHeader();
    expect(numAddressedTiles).toBeGreaterThan(3_000);
    expect(numAddressedTiles).toBeLessThanOrEqual((4 ** (BASEMAP_MAX_TILE_ZOOM + 1) - 1) / 3);
    expect([minZoom, maxZoom]).toEqual([0, BASEMAP_MAX_TILE_ZOOM]);
  });

  test('names its sources', async () => {
    expect(await archive.reader().getMetadata()).toMatchObject({ attribution: BASEMAP_ATTRIBUTION });
  });

  test('shows the world in one tile', async () => {
    const layers = await layersAt(0, 0, 0);
    expect(Object.keys(layers)).toEqual(
      expect.arrayContaining([BASEMAP_LAYER.land, BASEMAP_LAYER.coast, BASEMAP_LAYER.places]),
    );
    expect(layers[BASEMAP_LAYER.land]!.version).toBe(2);
    expect(layers[BASEMAP_LAYER.land]!.extent).toBe(BASEMAP_TILE_EXTENT);
  });

  test.each([
    ['Bern', 7.45, 46.95, true],
    ['the plain of Chukotka at 179° W', -179, 68.5, true],
    ['the plain of Chukotka at 179° E', 179, 68.5, true],
    ['Vanua Levu in Fiji', 179.3, -16.6, true],
    ['Svalbard', 17, 78.5, true],
    ['Antarctica near the pole', 100, -84.5, true],
    ['the Atlantic', -30, 40, false],
    ['the Pacific at 180°', 179.9, 30, false],
    ['the Caspian Sea', 51, 41, false],
  ])('land: %s', async (_, lon, lat, isLand) => {
    expect(await covers(BASEMAP_LAYER.land, lon, lat)).toBe(isLand);
  });

  test.each([
    ['Lac Léman', 6.55, 46.43],
    ['Zürichsee where the source has a gap', 8.6, 47.285],
    ['Vierwaldstättersee', 8.4, 47.01],
    ['Lake Superior', -87.5, 47.8],
    ['Lake Victoria', 33, -1],
  ])('lake: %s', async (_, lon, lat) => {
    expect(await covers(BASEMAP_LAYER.lakes, lon, lat)).toBe(true);
  });

  test('labels the cities of Switzerland and around by zoom 7', async () => {
    const names = (await placesIn(6, 33, 22)).filter(({ min_zoom }) => min_zoom <= 7).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'Zürich',
        'Bern',
        'Basel',
        'Luzern',
        'Genève',
        'Lausanne',
        'Milan',
        'Freiburg',
        'Lugano',
      ]),
    );
  });

  test('has few labels in any tile that is drawn at its own zoom', async () => {
    for (let z = 0; z < BASEMAP_MAX_TILE_ZOOM; z++) {
      for (let x = 0; x < 2 ** z; x++) {
        for (let y = 0; y < 2 ** z; y++) expect((await placesIn(z, x, y)).length).toBeLessThanOrEqual(45);
      }
    }
  });

  test('includes every label font', () => {
    for (const { fileName } of LABEL_FONT_FILES) {
      expect(existsSync(path.join(ROOT, 'public', BASEMAP_FONTS_PATH, fileName))).toBe(true);
    }
  });
});
