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
import { bearingDeg, EARTH_RADIUS_M, type LonLat } from '#lib/geo/great-circle.ts';
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
  const withRunways = new Set(drawn.map(({ airportId }) => airportId));
  const kindOf = ({ airportId }: RunwayRecord) => open.get(airportId)!.kind;
  const points = { toleranceUnits: 0, bufferUnits: 0 };
  const shapes = { toleranceUnits: 0, bufferUnits: BUFFER_UNITS };
  return [
    {
      name: AIRPORT_LAYER.airports,
      ...points,
      features: [...open.values()].map((airport) => airportFeature(airport, withRunways.has(airport.id))),
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
