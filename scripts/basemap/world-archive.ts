import { GeoJSONVT, type GeoJSONVTTile } from '@maplibre/geojson-vt';
import { fromGeojsonVt } from '@maplibre/vt-pbf';
import { MERCATOR_MAX_LAT_DEG } from '#lib/geo/mercator.ts';
import { pmtilesArchive, type Tile } from '#lib/server/street-map/pmtiles-archive.ts';

interface Description {
  readonly name: string;
  readonly type: 'baselayer' | 'overlay';
  readonly attribution: string;
}

/** Cuts layers into vector tiles, and packs them into one archive of the whole world. */
export function worldArchive(layers: readonly TileLayer[], scheme: TileScheme, description: Description): Uint8Array {
  return pmtilesArchive(vectorTiles(layers, scheme), {
    metadata: { ...description, vector_layers: layers.map(({ name }) => ({ id: name, fields: {} })) },
    bounds: [-180, -MERCATOR_MAX_LAT_DEG, 180, MERCATOR_MAX_LAT_DEG],
    center: { lon: 0, lat: 20, zoom: Math.max(1, scheme.minZoom) },
  });
}

/** The geometry is in degrees. */
export type TileFeature = GeoJSON.Feature<
  GeoJSON.Point | GeoJSON.LineString | GeoJSON.Polygon,
  { readonly minZoom: number; readonly attributes: object }
>;

export interface TileLayer {
  readonly name: string;
  readonly features: readonly TileFeature[];
  readonly toleranceUnits: number;
  readonly simplifiesLastZoom?: boolean;
  /** Beyond a tile's edge, in tile units; 0 for points, which would be drawn twice. */
  readonly bufferUnits: number;
}

interface TileScheme {
  readonly minZoom: number;
  /** Serves all higher zooms, so it contains all features. */
  readonly maxZoom: number;
  readonly extent: number;
}

function vectorTiles(layers: readonly TileLayer[], { minZoom, maxZoom, extent }: TileScheme): Tile[] {
  const tiles = new Map<string, { z: number; x: number; y: number; layers: Record<string, GeoJSONVTTile> }>();
  for (const { name, features, toleranceUnits, simplifiesLastZoom, bufferUnits } of layers) {
    const index = new GeoJSONVT(
      { type: 'FeatureCollection', features: [...features] },
      {
        // geojson-vt simplifies every zoom below its maxZoom.
        maxZoom: maxZoom + (simplifiesLastZoom ? 1 : 0),
        indexMaxZoom: maxZoom,
        indexMaxPoints: 0,
        tolerance: toleranceUnits,
        extent,
        buffer: bufferUnits,
      },
    );
    const add = (z: number, x: number, y: number): void => {
      const tile = index.getTile(z, x, y);
      if (tile === null) return;
      if (z < maxZoom) for (const child of [0, 1, 2, 3]) add(z + 1, 2 * x + (child & 1), 2 * y + (child >> 1));
      if (z < minZoom) return;
      const shown = tile.features.filter(({ tags }) => z === maxZoom || (tags as Properties).minZoom <= z);
      if (shown.length === 0) return;
      for (const feature of shown) feature.tags = { ...(feature.tags as Properties).attributes };
      const key = `${z}/${x}/${y}`;
      const added = tiles.get(key) ?? { z, x, y, layers: {} };
      added.layers[name] = { ...tile, features: shown as typeof tile.features };
      tiles.set(key, added);
    };
    add(0, 0, 0);
  }
  return Array.from(tiles.values(), ({ z, x, y, layers: layersOfTile }) => ({
    z,
    x,
    y,
    data: fromGeojsonVt(layersOfTile, { version: 2, extent }),
  }));
}

type Properties = TileFeature['properties'];
