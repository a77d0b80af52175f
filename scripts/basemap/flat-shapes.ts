import { feature, mesh } from 'topojson-client';
import { cutLine, cutPolygon } from './cut-at-antimeridian.ts';
import type { LonLat, Ring } from './planar-ring.ts';
import type { CountriesTopology, RiversTopology } from './read-package-data.ts';
import type { TileFeature } from './vector-tiles.ts';

const BORDERS_MIN_ZOOM = 1;
const RIVERS_MIN_ZOOM = 3;

export function landShapes(countries: CountriesTopology): TileFeature[] {
  return feature(countries, countries.objects.land).features.flatMap(({ geometry }) => polygonShapes(geometry, 0));
}

/** Lines of one country only, except along 180° or a pole. */
export function coastShapes(countries: CountriesTopology): TileFeature[] {
  return lineShapes(
    mesh(countries, countries.objects.countries, (a, b) => a === b),
    0,
  );
}

/** Lines of two countries: Natural Earth's de facto borders, disputed or not. */
export function borderShapes(countries: CountriesTopology): TileFeature[] {
  return lineShapes(
    mesh(countries, countries.objects.countries, (a, b) => a !== b),
    BORDERS_MIN_ZOOM,
  );
}

export function riverShapes(rivers: RiversTopology): TileFeature[] {
  return feature(rivers, rivers.objects.rivers).features.flatMap(({ geometry }) =>
    lineShapes(geometry, RIVERS_MIN_ZOOM),
  );
}

export function polygonShapes(geometry: GeoJSON.Geometry, minZoom: number): TileFeature[] {
  return polygonsOf(geometry).flatMap((rings) =>
    cutPolygon(rings).map((coordinates) =>
      shape({ type: 'Polygon', coordinates: coordinates as unknown as GeoJSON.Position[][] }, minZoom),
    ),
  );
}

function lineShapes(geometry: GeoJSON.Geometry, minZoom: number): TileFeature[] {
  return linesOf(geometry).flatMap((line) =>
    cutLine(line).map((coordinates) =>
      shape({ type: 'LineString', coordinates: coordinates as unknown as GeoJSON.Position[] }, minZoom),
    ),
  );
}

function polygonsOf(geometry: GeoJSON.Geometry): Ring[][] {
  if (geometry.type === 'Polygon') return [geometry.coordinates as unknown as Ring[]];
  if (geometry.type === 'MultiPolygon') return geometry.coordinates as unknown as Ring[][];
  return [];
}

function linesOf(geometry: GeoJSON.Geometry): LonLat[][] {
  if (geometry.type === 'LineString') return [geometry.coordinates as unknown as LonLat[]];
  if (geometry.type === 'MultiLineString') return geometry.coordinates as unknown as LonLat[][];
  return [];
}

function shape(geometry: TileFeature['geometry'], minZoom: number): TileFeature {
  return { type: 'Feature', properties: { minZoom, attributes: {} }, geometry };
}
