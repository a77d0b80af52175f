import { statSync } from 'node:fs';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { expect, test } from 'vitest';
import {
  AIRPORT_LAYER,
  AIRPORT_TILE_ZOOM,
  AIRPORTS_ARCHIVE_PATH,
  AIRPORTS_ATTRIBUTION,
} from '#components/map/basemap/airport-tileset.ts';
import { distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { builtArchive } from './built-archive.fixture.ts';

const archive = builtArchive(AIRPORTS_ARCHIVE_PATH);

interface Drawn {
  readonly properties: Record<string, unknown>;
  readonly points: readonly LonLat[];
}

async function drawnAround(
  { lon, lat }: LonLat,
  layerName: string,
  z: number = AIRPORT_TILE_ZOOM.max,
): Promise<Drawn[]> {
  const side = 2 ** z;
  const [x, y] = [Math.floor(mercatorX(lon) * side), Math.floor(mercatorY(lat) * side)];
  const tile = await archive.reader().getZxy(z, x, y);
  const layer = tile && new VectorTile(new PbfReader(tile.data)).layers[layerName];
  return Array.from({ length: layer?.length ?? 0 }, (_, index) => {
    const { properties, ...feature } = layer!.feature(index).toGeoJSON(x, y, z);
    const { geometry } = feature as { geometry: GeoJSON.Point | GeoJSON.LineString | GeoJSON.Polygon };
    const points =
      geometry.type === 'Point'
        ? [geometry.coordinates]
        : geometry.type === 'Polygon'
          ? geometry.coordinates.flat()
          : geometry.coordinates;
    return {
      properties: properties ?? {},
      points: points.map(([pointLon, pointLat]) => ({ lon: pointLon!, lat: pointLat! })),
    };
  });
}

const ZURICH = { lon: 8.548056, lat: 47.458056 };
/** Runway 16/34 of LSZH, as in OurAirports. */
const END_16 = { lon: 8.53594970703125, lat: 47.47560119628906 };
const END_34 = { lon: 8.556730270385742, lat: 47.44540023803711 };
const WIDTH_16_M = 197 * 0.3048;

test('Runway 16/34 of Zürich goes from end to end, within three metres of the source, in its width', async () => {
  const runways = await drawnAround(ZURICH, AIRPORT_LAYER.runways);
  const near = runways.find(({ points: [a, b] }) => distanceM(a!, END_16) < 3 && distanceM(b!, END_34) < 3);
  expect(near).toBeDefined();
  const metresPerPx = (40_030_230 * Math.cos((ZURICH.lat * Math.PI) / 180)) / (512 * 2 ** 18);
  expect(Math.abs(Number(near!.properties.width_px_z18) * metresPerPx - WIDTH_16_M)).toBeLessThan(0.5);
});

test('The ends of runways have their numbers, beyond the end', async () => {
  const ends = await drawnAround(ZURICH, AIRPORT_LAYER.runwayEnds);
  const of = (place: LonLat) => ends.find(({ points: [point] }) => distanceM(point!, place) < 3)?.properties;
  expect(of(END_16)).toEqual({ ident: '16', anchor: 'bottom-right' });
  expect(of(END_34)).toEqual({ ident: '34', anchor: 'top-left' });
});

test('Airports have codes and names: the large ones in every tile, heliports in the last only', async () => {
  const names = async (z: number) =>
    (await drawnAround(ZURICH, AIRPORT_LAYER.airports, z)).map(({ properties }) => properties.name);
  const airports = await drawnAround(ZURICH, AIRPORT_LAYER.airports);
  expect(airports.map(({ properties }) => properties)).toContainEqual({
    name: 'Zürich Airport',
    codes: 'LSZH ZRH',
    kind: 'large',
    runways: true,
  });
  expect(await names(5)).toContain('Zürich Airport');
  expect(await names(9)).not.toContain('Zürich Waid City Hospital Heliport');
  expect(await names(10)).toContain('Zürich Waid City Hospital Heliport');
});

test('A closed airport is not drawn, nor are its runways', async () => {
  const tegel = { lon: 13.2877, lat: 52.5597 };
  const names = (await drawnAround(tegel, AIRPORT_LAYER.airports)).map(({ properties }) => properties.name);
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => String(name).includes('Tegel'))).toEqual([]);
  const runways = await drawnAround(tegel, AIRPORT_LAYER.runways);
  expect(runways.filter(({ points: [a] }) => distanceM(a!, tegel) < 3000)).toEqual([]);
});

test('An airport of which the source has no runway ends has its mark only', async () => {
  const wienerNeustadt = { lon: 16.221838, lat: 47.836933 };
  const [airport] = (await drawnAround(wienerNeustadt, AIRPORT_LAYER.airports)).filter(
    ({ properties }) => properties.codes === 'LOXN',
  );
  expect(airport!.properties).not.toHaveProperty('runways');
  const runways = await drawnAround(wienerNeustadt, AIRPORT_LAYER.runways);
  expect(runways.filter(({ points: [a] }) => distanceM(a!, wienerNeustadt) < 1500)).toEqual([]);
});

test('The archive is small and names its source', async () => {
  expect(statSync(archive.file).size).toBeLessThan(9_500_000);
  const { minZoom, maxZoom } = await archive.reader().getHeader();
  expect({ min: minZoom, max: maxZoom }).toEqual(AIRPORT_TILE_ZOOM);
  expect(await archive.reader().getMetadata()).toMatchObject({ attribution: AIRPORTS_ATTRIBUTION });
});
