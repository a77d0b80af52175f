import type { GeoJSONVTTile } from '@maplibre/geojson-vt';
import { fromGeojsonVt } from '@maplibre/vt-pbf';
import {
  AIRPORT_LAYER,
  AIRPORT_MIN_ZOOM,
  AIRPORT_TILE_EXTENT,
  AIRPORT_TILE_ZOOM,
  type AirportAttributes,
  type AirportKind,
  type RunwayAttributes,
  type RunwayEndAttributes,
} from '#components/map/basemap/airport-tileset.ts';
import { bearingDeg, EARTH_RADIUS_M, type LonLat } from '#lib/geo/great-circle.ts';
import { MERCATOR_MAX_LAT_DEG, mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { aerodromeGround } from './aerodrome-ground.ts';
import { type AirportRecord, isConsistent, type RunwayRecord } from './airport-records.ts';
import type { Tile } from './pmtiles-archive.ts';

/** The zoom from which a runway is some ten pixels long, and one tells something. */
const RUNWAY_MIN_ZOOM: Readonly<Record<AirportKind, number>> = {
  large: 8,
  medium: 9,
  small: 10,
  seaplane_base: 10,
  heliport: 10,
  balloonport: 10,
};

/** How far a runway's line is drawn into the tiles beside its own, in tiles: half of the widest there is. */
const BUFFER_TILES = 0.06;

const TILE_PX = 512;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A feature of the tiles. Its points are in the unit square of Web Mercator: one, both ends of a line, or the corners of an area. */
interface DrawnFeature {
  readonly layer: string;
  readonly minZoom: number;
  readonly points: readonly Point[];
  readonly attributes: AirportAttributes | RunwayAttributes | RunwayEndAttributes | Record<string, never>;
}

/** All non-empty tiles with airports that are not closed, and with their runways. */
export function airportTiles(airports: readonly AirportRecord[], runways: readonly RunwayRecord[]): Tile[] {
  const features = drawnFeatures(airports, runways);
  const tiles: Tile[] = [];
  for (let z = AIRPORT_TILE_ZOOM.min; z <= AIRPORT_TILE_ZOOM.max; z++) {
    const layersOfTile = new Map<number, Record<string, GeoJSONVTTile>>();
    const side = 2 ** z;
    for (const feature of features) {
      // The tiles of the last zoom serve all higher zooms.
      if (feature.minZoom > z && z < AIRPORT_TILE_ZOOM.max) continue;
      for (const { x, y } of touchedTiles(feature.points, side)) {
        const key = y * side + x;
        const layers = layersOfTile.get(key) ?? {};
        layersOfTile.set(key, layers);
        layers[feature.layer] ??= { features: [], source: null, transformed: true, x, y, z };
        const points = feature.points.map((point): [number, number] => [
          Math.round((point.x * side - x) * AIRPORT_TILE_EXTENT),
          Math.round((point.y * side - y) * AIRPORT_TILE_EXTENT),
        ]);
        const tags = { ...feature.attributes };
        layers[feature.layer]!.features.push(
          points.length === 1
            ? { type: 1, geometry: points, tags }
            : points.length === 2
              ? { type: 2, geometry: [points], tags }
              : { type: 3, geometry: [[...points, points[0]!]], tags },
        );
      }
    }
    for (const [key, layers] of layersOfTile) {
      const data = fromGeojsonVt(layers, { version: 2, extent: AIRPORT_TILE_EXTENT });
      tiles.push({ z, x: key % side, y: Math.floor(key / side), data });
    }
  }
  return tiles;
}

function drawnFeatures(airports: readonly AirportRecord[], runways: readonly RunwayRecord[]): DrawnFeature[] {
  const open = new Map(airports.flatMap((airport) => (isOnMap(airport) ? [[airport.id, airport]] : [])));
  const drawnRunways = runways
    .filter(({ airportId }) => open.has(airportId))
    .filter((runway) => isConsistent(runway, open.get(runway.airportId)!));
  const withRunways = Map.groupBy(drawnRunways, ({ airportId }) => airportId);
  return [
    ...[...open.values()].map((airport) => airportFeature(airport, withRunways.has(airport.id))),
    ...[...withRunways].map(([id, its]) => aerodromeFeature(its, open.get(id)!.kind)),
    ...drawnRunways.flatMap((runway) => runwayFeatures(runway, open.get(runway.airportId)!.kind)),
  ];
}

type OpenAirport = AirportRecord & { readonly kind: AirportKind };

/** Web Mercator ends before the poles: what lies beyond would be drawn at a wrong place. */
function isOnMap(airport: AirportRecord): airport is OpenAirport {
  return airport.kind !== 'closed' && Math.abs(airport.lat) < MERCATOR_MAX_LAT_DEG;
}

function airportFeature(airport: OpenAirport, runways: boolean): DrawnFeature {
  const { name, kind, icao, iata, local } = airport;
  const codes = [icao ?? local, iata].filter((code) => code !== undefined).join(' ');
  return {
    layer: AIRPORT_LAYER.airports,
    minZoom: AIRPORT_MIN_ZOOM[kind],
    points: [unitSquare(airport)],
    attributes: { name, codes, kind, ...(runways && { runways: true as const }) },
  };
}

function aerodromeFeature(runways: readonly RunwayRecord[], kind: AirportKind): DrawnFeature {
  return {
    layer: AIRPORT_LAYER.aerodromes,
    minZoom: RUNWAY_MIN_ZOOM[kind],
    points: aerodromeGround(runways).map(unitSquare),
    attributes: {},
  };
}

function runwayFeatures({ ends, widthM }: RunwayRecord, kind: AirportKind): DrawnFeature[] {
  const minZoom = RUNWAY_MIN_ZOOM[kind];
  const points = ends.map(unitSquare);
  const [a, b] = ends;
  return [
    {
      layer: AIRPORT_LAYER.runways,
      minZoom,
      points,
      attributes: { width_px_z18: widthPx(widthM, (a.lat + b.lat) / 2, 18) },
    },
    ...ends.map((end, index) => ({
      layer: AIRPORT_LAYER.runwayEnds,
      minZoom: AIRPORT_TILE_ZOOM.max,
      points: [points[index]!],
      attributes: { ident: end.ident, anchor: anchorBeyond(end, index === 0 ? b : a) },
    })),
  ];
}

/** In steps of a pixel, since every distinct value makes tiles larger. */
function widthPx(widthM: number, lat: number, zoom: number): number {
  const metresPerPx = (2 * Math.PI * EARTH_RADIUS_M * Math.cos((lat * Math.PI) / 180)) / (TILE_PX * 2 ** zoom);
  return Math.max(1, Math.round(widthM / metresPerPx));
}

/** By the bearing in which the label lies from the end, in eighths of a turn from north. */
const ANCHORS = ['bottom', 'bottom-left', 'left', 'top-left', 'top', 'top-right', 'right', 'bottom-right'] as const;

/** The anchor of a label that lies beyond this end of the runway. */
function anchorBeyond(end: LonLat, otherEnd: LonLat): string {
  return ANCHORS[Math.round(bearingDeg(otherEnd, end) / 45) % ANCHORS.length]!;
}

/** The tile of a point; for a line every tile in reach of the box around it, as lines are short beside a tile. */
function touchedTiles(points: readonly Point[], side: number): Point[] {
  const reach = points.length === 1 ? 0 : BUFFER_TILES;
  const tile = (unit: number) => Math.min(side - 1, Math.max(0, Math.floor(unit)));
  const [xs, ys] = [points.map(({ x }) => x * side), points.map(({ y }) => y * side)];
  const [west, east] = [tile(Math.min(...xs) - reach), tile(Math.max(...xs) + reach)];
  const [north, south] = [tile(Math.min(...ys) - reach), tile(Math.max(...ys) + reach)];
  const touched: Point[] = [];
  for (let x = west; x <= east; x++) for (let y = north; y <= south; y++) touched.push({ x, y });
  return touched;
}

function unitSquare({ lon, lat }: LonLat): Point {
  return { x: mercatorX(lon), y: mercatorY(lat) };
}
