import { GeoJSONVT, type GeoJSONVTTile } from '@maplibre/geojson-vt';
import { fromGeojsonVt } from '@maplibre/vt-pbf';
import {
  BASEMAP_MAX_TILE_ZOOM,
  BASEMAP_TILE_EXTENT,
  type BasemapLayerName,
} from '#components/map/basemap/basemap-tileset.ts';
import type { FlatShape } from './flat-shapes.ts';
import type { Tile } from './pmtiles-archive.ts';
import type { RankedPlace } from './ranked-places.ts';

/** A layer of lines or polygons. */
export interface ShapeLayer {
  readonly name: BasemapLayerName;
  readonly shapes: readonly FlatShape[];
  /** How far a simplified line may deviate, in tile units. */
  readonly toleranceUnits: number;
  /** Whether the tiles of the last zoom keep every point. */
  readonly fullDetailAtLastZoom: boolean;
}

/** A layer of points. */
export interface PlaceLayer {
  readonly name: BasemapLayerName;
  readonly places: readonly RankedPlace[];
}

/** How far shapes extend beyond a tile's edge, in tile units: twice the width of the widest line. */
const BUFFER_UNITS = 32;

type TileLayers = Record<string, GeoJSONVTTile>;

/** All non-empty tiles from zoom 0 to BASEMAP_MAX_TILE_ZOOM, as vector tiles of version 2. */
export function tilePyramid(shapeLayers: readonly ShapeLayer[], placeLayer: PlaceLayer): Tile[] {
  const tiles = new Map<string, { z: number; x: number; y: number; layers: TileLayers }>();
  const add = (z: number, x: number, y: number, name: string, tile: GeoJSONVTTile) => {
    const key = `${z}/${x}/${y}`;
    const layers = tiles.get(key)?.layers ?? {};
    layers[name] = tile;
    tiles.set(key, { z, x, y, layers });
  };

  for (const layer of shapeLayers) {
    const index = new GeoJSONVT(
      { type: 'FeatureCollection', features: [...layer.shapes] },
      {
        // geojson-vt simplifies every zoom below its maxZoom.
        maxZoom: BASEMAP_MAX_TILE_ZOOM + (layer.fullDetailAtLastZoom ? 0 : 1),
        indexMaxZoom: BASEMAP_MAX_TILE_ZOOM,
        indexMaxPoints: 0,
        tolerance: layer.toleranceUnits,
        extent: BASEMAP_TILE_EXTENT,
        buffer: BUFFER_UNITS,
      },
    );
    for (const [z, x, y] of addresses()) {
      const tile = index.getTile(z, x, y);
      if (tile === null) continue;
      const features = tile.features.filter((feature) => (feature.tags as FlatShape['properties']).min_zoom <= z);
      tile.features = features as typeof tile.features;
      if (tile.features.length === 0) continue;
      for (const feature of tile.features) feature.tags = {};
      add(z, x, y, layer.name, tile);
    }
  }
  for (const { z, x, y, tile } of placeTiles(placeLayer.places)) add(z, x, y, placeLayer.name, tile);

  return [...tiles.values()].map(({ z, x, y, layers }) => ({
    z,
    x,
    y,
    data: fromGeojsonVt(layers, { version: 2, extent: BASEMAP_TILE_EXTENT }),
  }));
}

function* addresses(): Generator<[number, number, number]> {
  for (let z = 0; z <= BASEMAP_MAX_TILE_ZOOM; z++) {
    for (let x = 0; x < 2 ** z; x++) for (let y = 0; y < 2 ** z; y++) yield [z, x, y];
  }
}

/**
 * A place is in one tile of every zoom from its own `min_zoom` up, and always in one of the last zoom, because those
 * tiles serve all higher zooms.
 */
function* placeTiles(
  places: readonly RankedPlace[],
): Generator<{ z: number; x: number; y: number; tile: GeoJSONVTTile }> {
  for (let z = 0; z <= BASEMAP_MAX_TILE_ZOOM; z++) {
    const side = 2 ** z;
    const tiles = new Map<number, GeoJSONVTTile>();
    for (const place of places) {
      if (place.attributes.min_zoom > z && z < BASEMAP_MAX_TILE_ZOOM) continue;
      const x = Math.min(side - 1, Math.floor(place.x * side));
      const y = Math.min(side - 1, Math.floor(place.y * side));
      const tile = tiles.get(y * side + x) ?? { features: [], source: null, transformed: true, x, y, z };
      tile.features.push({
        type: 1,
        geometry: [[tileUnits(place.x * side - x), tileUnits(place.y * side - y)]],
        tags: { ...place.attributes },
      });
      tiles.set(y * side + x, tile);
    }
    for (const tile of tiles.values()) yield { z, x: tile.x, y: tile.y, tile };
  }
}

function tileUnits(fractionOfTile: number): number {
  return Math.min(BASEMAP_TILE_EXTENT - 1, Math.round(fractionOfTile * BASEMAP_TILE_EXTENT));
}
