import { type GeoStream, geoEquirectangular, geoStream } from 'd3-geo';
import { feature, mesh } from 'topojson-client';
import { type Ring, type RingPoint, ringContains, signedArea, staysOnOneSide } from './planar-ring.ts';
import type { CountriesTopology, RiversTopology } from './read-package-data.ts';
import type { TileFeature } from './world-archive.ts';

// Shapes of the globe as flat ones: cut at 180°, and closed over a pole.

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
    flatPolygons(rings).map((coordinates) =>
      shape({ type: 'Polygon', coordinates: coordinates as unknown as GeoJSON.Position[][] }, minZoom),
    ),
  );
}

function lineShapes(geometry: GeoJSON.Geometry, minZoom: number): TileFeature[] {
  return linesOf(geometry).flatMap((line) =>
    flatLines(line).map((coordinates) =>
      shape({ type: 'LineString', coordinates: coordinates as unknown as GeoJSON.Position[] }, minZoom),
    ),
  );
}

function polygonsOf(geometry: GeoJSON.Geometry): Ring[][] {
  if (geometry.type === 'Polygon') return [geometry.coordinates as unknown as Ring[]];
  if (geometry.type === 'MultiPolygon') return geometry.coordinates as unknown as Ring[][];
  return [];
}

function linesOf(geometry: GeoJSON.Geometry): RingPoint[][] {
  if (geometry.type === 'LineString') return [geometry.coordinates as unknown as RingPoint[]];
  if (geometry.type === 'MultiLineString') return geometry.coordinates as unknown as RingPoint[][];
  return [];
}

function shape(geometry: TileFeature['geometry'], minZoom: number): TileFeature {
  return { type: 'Feature', properties: { minZoom, attributes: {} }, geometry };
}

/**
 * Cuts shapes at 180° and closes them over an enclosed pole. Precision 0 inserts no points. The y axis points south.
 */
const plateCarree = geoEquirectangular()
  .scale(180 / Math.PI)
  .translate([0, 0])
  .precision(0);

/**
 * In d3-geo's winding, the first ring is the outer one, clockwise. Drops rings without area. Only edges along a pole
 * cross the map.
 */
export function flatPolygons(rings: readonly Ring[]): Ring[][] {
  const solid = rings.filter((ring) => ring.length >= 4 && signedArea(ring) !== 0);
  if (solid.length === 0) return [];
  if (solid.every(staysOnOneSide)) return [[...solid]];
  return polygonsOfRings(streamed({ type: 'Polygon', coordinates: mutable(solid) }));
}

/** Drops steps along 180°, where Natural Earth cuts Chukotka and Fiji in two. */
export function flatLines(line: readonly RingPoint[]): RingPoint[][] {
  const flat = staysOnOneSide(line)
    ? [[...line]]
    : streamed({ type: 'LineString', coordinates: line.map(([lon, lat]) => [lon, lat]) });
  return flat.flatMap(withoutStepsAlong180).filter((part) => part.length > 1);
}

function withoutStepsAlong180(line: readonly RingPoint[]): RingPoint[][] {
  const parts: RingPoint[][] = [[]];
  for (const [i, point] of line.entries()) {
    if (i > 0 && Math.abs(point[0]) === 180 && point[0] === line[i - 1]![0]) parts.push([]);
    parts.at(-1)!.push(point);
  }
  return parts;
}

/** Clockwise rings are outer ones; others are holes of the one around them. */
function polygonsOfRings(rings: readonly Ring[]): Ring[][] {
  const areas = rings.map(signedArea);
  const polygons = rings.filter((_, i) => areas[i]! < 0).map((outside) => [outside]);
  for (const [i, ring] of rings.entries()) {
    if (areas[i]! <= 0) continue;
    polygons.find(([outside]) => ringContains(outside!, ring[0]!))?.push(ring);
  }
  return polygons;
}

function mutable(rings: readonly Ring[]): number[][][] {
  return rings.map((ring) => ring.map(([lon, lat]) => [lon, lat]));
}

function streamed(geometry: GeoJSON.Polygon | GeoJSON.LineString): RingPoint[][] {
  const paths: RingPoint[][] = [];
  let path: RingPoint[] = [];
  let inPolygon = false;
  const sink: GeoStream = {
    polygonStart: () => {
      inPolygon = true;
    },
    polygonEnd: () => {
      inPolygon = false;
    },
    lineStart: () => {
      path = [];
    },
    point: (x, y) => {
      path.push([clampedDeg(x, 180), clampedDeg(-y, 90)]);
    },
    lineEnd: () => {
      if (inPolygon && path.length > 0) path.push(path[0]!);
      paths.push(path);
    },
  };
  geoStream(geometry, plateCarree.stream(sink));
  return paths;
}

/** The projection leaves edges a rounding error beyond 180°. */
function clampedDeg(deg: number, limitDeg: number): number {
  const rounded = Math.round(deg * 1e6) / 1e6;
  return Math.min(limitDeg, Math.max(-limitDeg, rounded));
}
