import { MERCATOR_MAX_LAT_DEG } from '#lib/geo/mercator.ts';
import { pmtilesArchive } from './pmtiles-archive.ts';
import { type TileLayer, type TileScheme, vectorTiles } from './vector-tiles.ts';

interface Description {
  readonly name: string;
  readonly type: 'baselayer' | 'overlay';
  readonly attribution: string;
}

export function worldArchive(layers: readonly TileLayer[], scheme: TileScheme, description: Description): Uint8Array {
  return pmtilesArchive(vectorTiles(layers, scheme), {
    metadata: { ...description, vector_layers: layers.map(({ name }) => ({ id: name, fields: {} })) },
    bounds: [-180, -MERCATOR_MAX_LAT_DEG, 180, MERCATOR_MAX_LAT_DEG],
    center: { lon: 0, lat: 20, zoom: Math.max(1, scheme.minZoom) },
  });
}
