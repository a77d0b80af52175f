import {
  AIRPORT_LAYER,
  AIRPORT_MIN_ZOOM,
  AIRPORT_TILE_EXTENT,
  AIRPORT_TILE_ZOOM,
  AIRPORTS_ATTRIBUTION,
  type AirportAttributes,
  type AirportKind,
  type RunwayAttributes,
  type RunwayEndAttributes,
} from '#components/map/basemap/airport-tileset.ts';
import { bearingDeg, destination, EARTH_RADIUS_M, type LonLat } from '#lib/geo/great-circle.ts';
import { MERCATOR_MAX_LAT_DEG } from '#lib/geo/mercator.ts';
import { type AirportRecord, isConsistent, type RunwayRecord, readAirports, readRunways } from './airport-records.ts';
import { type TileFeature, type TileLayer, worldArchive } from './world-archive.ts';

export function airportArchive(): Uint8Array {
  return worldArchive(
    airportLayers(readAirports(), readRunways()),
    { minZoom: AIRPORT_TILE_ZOOM.min, maxZoom: AIRPORT_TILE_ZOOM.max, extent: AIRPORT_TILE_EXTENT },
    { name: 'Lookout airports', type: 'overlay', attribution: AIRPORTS_ATTRIBUTION },
  );
}

/** From this zoom, a runway is some ten pixels long. */
const RUNWAY_MIN_ZOOM: Readonly<Record<AirportKind, number>> = {
  large: 8,
  medium: 9,
  small: 10,
  seaplane_base: 10,
  heliport: 10,
  balloonport: 10,
};

/** Half of the widest runway, in tile units. */
const BUFFER_UNITS = 500;

const TILE_PX = 512;

function airportLayers(airports: readonly AirportRecord[], runways: readonly RunwayRecord[]): TileLayer[] {
  const open = new Map(airports.flatMap((airport) => (isOnMap(airport) ? [[airport.id, airport]] : [])));
  const drawn = runways
    .filter(({ airportId }) => open.has(airportId))
    .filter((runway) => isConsistent(runway, open.get(runway.airportId)!));
  const byAirport = Map.groupBy(drawn, ({ airportId }) => airportId);
  const kindOf = ({ airportId }: RunwayRecord) => open.get(airportId)!.kind;
  const points = { toleranceUnits: 0, bufferUnits: 0 };
  const shapes = { toleranceUnits: 0, bufferUnits: BUFFER_UNITS };
  return [
    {
      name: AIRPORT_LAYER.airports,
      ...points,
      features: [...open.values()].map((airport) => airportFeature(airport, byAirport.has(airport.id))),
    },
    {
      name: AIRPORT_LAYER.aerodromes,
      ...shapes,
      features: Array.from(byAirport, ([id, its]) => aerodromeFeature(its, open.get(id)!.kind)),
    },
    { name: AIRPORT_LAYER.runways, ...shapes, features: drawn.map((runway) => runwayFeature(runway, kindOf(runway))) },
    { name: AIRPORT_LAYER.runwayEnds, ...points, features: drawn.flatMap(runwayEndFeatures) },
  ];
}

type OpenAirport = AirportRecord & { readonly kind: AirportKind };

/** Web Mercator ends before the poles. */
function isOnMap(airport: AirportRecord): airport is OpenAirport {
  return airport.kind !== 'closed' && Math.abs(airport.lat) < MERCATOR_MAX_LAT_DEG;
}

function airportFeature(airport: OpenAirport, runways: boolean): TileFeature {
  const { name, kind, icao, iata, local } = airport;
  const codes = [icao ?? local, iata].filter((code) => code !== undefined).join(' ');
  const attributes: AirportAttributes = { name, codes, kind, ...(runways && { runways: true }) };
  return drawnFeature({ type: 'Point', coordinates: position(airport) }, AIRPORT_MIN_ZOOM[kind], attributes);
}

function aerodromeFeature(runways: readonly RunwayRecord[], kind: AirportKind): TileFeature {
  const corners = aerodromeGround(runways).map(position);
  return drawnFeature({ type: 'Polygon', coordinates: [[...corners, corners[0]!]] }, RUNWAY_MIN_ZOOM[kind], {});
}

function runwayFeature({ ends, widthM }: RunwayRecord, kind: AirportKind): TileFeature {
  const [a, b] = ends;
  const attributes: RunwayAttributes = { width_px_z18: widthPx(widthM, (a.lat + b.lat) / 2, 18) };
  return drawnFeature({ type: 'LineString', coordinates: ends.map(position) }, RUNWAY_MIN_ZOOM[kind], attributes);
}

function runwayEndFeatures({ ends: [a, b] }: RunwayRecord): TileFeature[] {
  return [[a, b] as const, [b, a] as const].map(([end, otherEnd]) => {
    const attributes: RunwayEndAttributes = { ident: end.ident, anchor: anchorBeyond(end, otherEnd) };
    return drawnFeature({ type: 'Point', coordinates: position(end) }, AIRPORT_TILE_ZOOM.max, attributes);
  });
}

function drawnFeature(geometry: TileFeature['geometry'], minZoom: number, attributes: object): TileFeature {
  return { type: 'Feature', properties: { minZoom, attributes }, geometry };
}

function position({ lon, lat }: LonLat): [number, number] {
  return [lon, lat];
}
/** In whole pixels, since every distinct value makes tiles larger. */
function widthPx(widthM: number, lat: number, zoom: number): number {
  const metresPerPx = (2 * Math.PI * EARTH_RADIUS_M * Math.cos((lat * Math.PI) / 180)) / (TILE_PX * 2 ** zoom);
  return Math.max(1, Math.round(widthM / metresPerPx));
}

/** The anchor of each bearing, in eighths of a turn from north. */
const ANCHORS = ['bottom', 'bottom-left', 'left', 'top-left', 'top', 'top-right', 'right', 'bottom-right'] as const;

function anchorBeyond(end: LonLat, otherEnd: LonLat): string {
  return ANCHORS[Math.round(bearingDeg(otherEnd, end) / 45) % ANCHORS.length]!;
}

/** The strip of an instrument runway (ICAO Annex 14, 3.4). */
const STRIP_SIDE_M = 140;
const STRIP_BEYOND_M = 60;

/** Convex hull of the runways' strips, clockwise. It is no boundary of the aerodrome. */
export function aerodromeGround(runways: readonly Pick<RunwayRecord, 'ends'>[]): LonLat[] {
  return convexHull(runways.flatMap(stripCorners));
}

function stripCorners({ ends: [a, b] }: Pick<RunwayRecord, 'ends'>): LonLat[] {
  return [[a, bearingDeg(b, a)] as const, [b, bearingDeg(a, b)] as const].flatMap(([end, outwardsDeg]) => {
    const beyond = destination(end, outwardsDeg, STRIP_BEYOND_M);
    return [-90, 90].map((side) => destination(beyond, outwardsDeg + side, STRIP_SIDE_M));
  });
}

/** Andrew's monotone chain, as if degrees were flat: an aerodrome is small. */
function convexHull(points: readonly LonLat[]): LonLat[] {
  const sorted = points.toSorted((a, b) => a.lon - b.lon || a.lat - b.lat);
  return [...chain(sorted), ...chain(sorted.toReversed())].toReversed();
}

function chain(points: readonly LonLat[]): LonLat[] {
  const side: LonLat[] = [];
  for (const point of points) {
    while (side.length > 1 && crossProduct(side.at(-2)!, side.at(-1)!, point) <= 0) side.pop();
    side.push(point);
  }
  return side.slice(0, -1);
}

/** Of `ab` and `ac`: positive where `c` is to the left of `ab`. */
function crossProduct(a: LonLat, b: LonLat, c: LonLat): number {
  return (b.lon - a.lon) * (c.lat - a.lat) - (b.lat - a.lat) * (c.lon - a.lon);
}
