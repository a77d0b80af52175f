import 'server-only';
import { type FileHandle, open } from 'node:fs/promises';
import { VectorTile, type VectorTileFeature } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { PMTiles, type Source } from 'pmtiles';
import { mercatorLatDeg, mercatorX, mercatorY } from '#lib/geo/mercator.ts';

/** The ground around an area, for documents that need no Lookout. Degrees, in steps of 1e-5. */
export interface GroundMap {
  /** Each line: first its start, then steps from point to point. */
  readonly lines: Readonly<Record<GroundLine, readonly (readonly number[])[]>>;
  readonly places: readonly GroundPlace[];
  readonly airports: readonly GroundPlace[];
  readonly runwayEnds: readonly GroundPlace[];
  /** The bounds of the tiles; the east may exceed 180°. `undefined`: no map of the world is here. */
  readonly covered: Bounds | undefined;
  /** Sources, as their licences require. */
  readonly attribution: string;
}

/** `land` and `lakes` are rings; their edges at the border of a tile are no coast. */
type GroundLine = 'land' | 'lakes' | 'rivers' | 'coast' | 'borders' | 'runways';

/** Name, longitude and latitude in steps, and the zoom from which it is shown. */
type GroundPlace = readonly [name: string, lon: number, lat: number, minZoom: number];

export interface Bounds {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** Made by `npm start`. */
const FOLDER = 'public/basemap';
/** A document has room for so many points. */
const POINTS_MAX = 60_000;
const PLACES_MAX = 400;
/** Smaller places are named near the area only. */
const TOWN_ZOOM = 7;
const TILES_ACROSS_MAX = 3;
export const GROUND_STEPS = 1e5;

const WORLD_LINES = ['land', 'lakes', 'rivers', 'coast', 'borders'] as const;

/** Reads the tiles around an area. An archive that is missing or damaged leaves its part empty. */
export async function groundMap(bounds: Bounds, folder = FOLDER): Promise<GroundMap> {
  const map = {
    lines: { land: [], lakes: [], rivers: [], coast: [], borders: [], runways: [] } as Record<GroundLine, number[][]>,
    places: [] as GroundPlace[],
    airports: [] as GroundPlace[],
    runwayEnds: [] as GroundPlace[],
  };
  let points = 0;
  const addLines = (to: GroundLine, tile: Tile, tolerance: number) => {
    for (const feature of tile.features(to))
      for (const line of tile.linesOf(feature, tolerance)) {
        points += line.length / 2;
        if (points <= POINTS_MAX) map.lines[to].push(line);
      }
  };
  const addPlaces = (to: GroundPlace[], tile: Tile, layer: string, textOf: TextOf) => {
    for (const feature of tile.features(layer)) {
      const [lon, lat] = tile.linesOf(feature, 0)[0] ?? [];
      const named = textOf(feature.properties);
      if (lon !== undefined && lat !== undefined && named) to.push([named[0], lon, lat, named[1]]);
    }
  };
  const world = await tilesOf(`${folder}/lookout.pmtiles`, bounds, (tile) => {
    // A unit is some 50 m: what cannot be seen at the scale of an incident is left out.
    for (const name of WORLD_LINES) addLines(name, tile, 0.75);
    addPlaces(map.places, tile, 'places', ({ name, min_zoom }) => [String(name), Number(min_zoom)]);
  });
  const airports = await tilesOf(`${folder}/airports.pmtiles`, bounds, (tile) => {
    addLines('runways', tile, 0);
    addPlaces(map.airports, tile, 'airports', ({ name, codes, kind }) =>
      kind === 'heliport' ? undefined : [String(codes).split(' ')[0] || String(name), kind === 'large' ? 7 : 10],
    );
    addPlaces(map.runwayEnds, tile, 'runway_ends', ({ ident }) => [String(ident), 12]);
  });
  const attribution = [world?.attribution, airports?.attribution].filter((text) => text !== undefined).join(', ');
  const isNear = ([, lon, lat]: GroundPlace) => isIn(bounds, lon / GROUND_STEPS, lat / GROUND_STEPS);
  const places = map.places
    .filter((place) => place[3] <= TOWN_ZOOM || isNear(place))
    .sort((one, next) => one[3] - next[3])
    .slice(0, PLACES_MAX);
  return { ...map, places, covered: world?.covered, attribution };
}

type TextOf = (properties: VectorTileFeature['properties']) => readonly [name: string, minZoom: number] | undefined;

async function tilesOf(
  file: string,
  bounds: Bounds,
  take: (tile: Tile) => void,
): Promise<{ readonly covered: Bounds; readonly attribution: string } | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    const archive = new PMTiles(sourceOf(file, handle));
    const { maxZoom } = await archive.getHeader();
    let zoom = maxZoom;
    while (zoom > 0 && tilesAcross(bounds, zoom) > TILES_ACROSS_MAX) zoom--;
    const { left, right, top, bottom } = tileRange(bounds, zoom);
    for (let x = left; x <= right; x++)
      for (let y = top; y <= bottom; y++) {
        const found = await archive.getZxy(zoom, wrapped(x, zoom), y);
        if (found) take(new Tile(new VectorTile(new PbfReader(found.data)), zoom, x, y));
      }
    const metadata = (await archive.getMetadata()) as { readonly attribution?: string };
    const [size, tiles] = [360 / 2 ** zoom, 2 ** zoom];
    return {
      covered: {
        west: left * size - 180,
        east: (right + 1) * size - 180,
        north: mercatorLatDeg(top / tiles),
        south: mercatorLatDeg((bottom + 1) / tiles),
      },
      attribution: (metadata.attribution ?? '').replaceAll(/<[^>]*>/g, ''),
    };
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}

function sourceOf(file: string, handle: FileHandle): Source {
  return {
    getKey: () => file,
    async getBytes(offset, length) {
      const bytes = new Uint8Array(length);
      const { bytesRead } = await handle.read(bytes, 0, length, offset);
      return { data: bytes.buffer.slice(0, bytesRead) };
    },
  };
}

function isIn({ west, south, east, north }: Bounds, lon: number, lat: number): boolean {
  return lon >= west && lon <= east && lat >= south && lat <= north;
}

/** Tiles run on past 180°. */
function tileRange({ west, east, south, north }: Bounds, zoom: number) {
  const tiles = 2 ** zoom;
  const row = (lat: number) => Math.min(tiles - 1, Math.floor(mercatorY(lat) * tiles));
  const column = (lon: number) => Math.floor(mercatorX(lon) * tiles);
  return { left: column(west), right: column(east), top: row(north), bottom: row(south) };
}

function tilesAcross(bounds: Bounds, zoom: number): number {
  const { left, right, top, bottom } = tileRange(bounds, zoom);
  return Math.max(right - left, bottom - top) + 1;
}

function wrapped(x: number, zoom: number): number {
  const tiles = 2 ** zoom;
  return ((x % tiles) + tiles) % tiles;
}

class Tile {
  readonly #layers: VectorTile['layers'];
  readonly #at: { readonly tiles: number; readonly x: number; readonly y: number };

  constructor({ layers }: VectorTile, zoom: number, x: number, y: number) {
    this.#layers = layers;
    this.#at = { tiles: 2 ** zoom, x, y };
  }

  *features(name: string): Generator<VectorTileFeature> {
    const layer = this.#layers[name];
    for (let index = 0; index < (layer?.length ?? 0); index++) yield layer?.feature(index) as VectorTileFeature;
  }

  /** @param tolerance in tile units: a point nearer to the last one is left out */
  linesOf(feature: VectorTileFeature, tolerance: number): number[][] {
    const { tiles, x: column, y: row } = this.#at;
    return feature.loadGeometry().map((points) => {
      const line: number[] = [];
      let [lastX, lastY, lastLon, lastLat] = [Number.NaN, Number.NaN, 0, 0];
      points.forEach(({ x, y }, index) => {
        const isEnd = index === 0 || index === points.length - 1;
        if (!isEnd && Math.hypot(x - lastX, y - lastY) < tolerance) return;
        [lastX, lastY] = [x, y];
        const lon = Math.round(((column + x / feature.extent) * (360 / tiles) - 180) * GROUND_STEPS);
        const lat = Math.round(mercatorLatDeg((row + y / feature.extent) / tiles) * GROUND_STEPS);
        line.push(lon - lastLon, lat - lastLat);
        [lastLon, lastLat] = [lon, lat];
      });
      return line;
    });
  }
}
