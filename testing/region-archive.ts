import { crc32, deflateSync } from 'node:zlib';
import { GeoJSONVT, type GeoJSONVTTile } from '@maplibre/geojson-vt';
import { fromGeojsonVt } from '@maplibre/vt-pbf';
import { boxRing } from '#lib/geo/bbox.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { pmtilesArchive, type Tile } from '#lib/server/street-map/pmtiles-archive.ts';

type Edges = readonly [number, number, number, number];

const REGION: Edges = [8.45, 47.4, 8.65, 47.52];
export const REGION_LAKE = { lon: 8.6, lat: 47.43 } as const;

const EXTENT = 4096;
const ZOOM = { min: 8, max: 13 } as const;

interface Feature {
  readonly layer: string;
  readonly properties: Readonly<Record<string, string | number | boolean>>;
  readonly geometry: GeoJSON.Geometry;
}

function box([west, south, east, north]: Edges): GeoJSON.Polygon {
  return { type: 'Polygon', coordinates: [boxRing({ west, south, east, north })] };
}

const line = (...coordinates: [number, number][]): GeoJSON.LineString => ({ type: 'LineString', coordinates });
const point = (lon: number, lat: number): GeoJSON.Point => ({ type: 'Point', coordinates: [lon, lat] });

/** Most kinds of the schema, with invented names and roads. */
const FEATURES: readonly Feature[] = [
  { layer: 'earth', properties: { kind: 'earth' }, geometry: box([8, 47, 9, 48]) },
  { layer: 'landuse', properties: { kind: 'park' }, geometry: box([8.46, 47.42, 8.5, 47.44]) },
  { layer: 'landuse', properties: { kind: 'aerodrome' }, geometry: box([8.53, 47.44, 8.58, 47.48]) },
  {
    layer: 'water',
    properties: { kind: 'lake', name: 'Testsee', 'name:en': 'Lake Test' },
    geometry: box([8.58, 47.42, 8.62, 47.44]),
  },
  { layer: 'buildings', properties: { kind: 'building' }, geometry: box([8.515, 47.452, 8.517, 47.453]) },
  {
    layer: 'roads',
    properties: {
      kind: 'highway',
      kind_detail: 'motorway',
      shield_text: 'A1',
      network: 'CH',
      min_zoom: 3,
    },
    geometry: line([8.45, 47.45], [8.52, 47.449], [8.65, 47.46]),
  },
  {
    layer: 'roads',
    properties: { kind: 'minor_road', kind_detail: 'residential', oneway: 'yes', min_zoom: 12, name: 'Testgasse' },
    geometry: line([8.51, 47.451], [8.53, 47.456], [8.54, 47.47]),
  },
  {
    layer: 'roads',
    properties: { kind: 'aeroway', kind_detail: 'runway', min_zoom: 9 },
    geometry: line([8.535, 47.48], [8.557, 47.45]),
  },
  {
    layer: 'roads',
    properties: { kind: 'rail', kind_detail: 'rail', min_zoom: 9 },
    geometry: line([8.45, 47.5], [8.65, 47.49]),
  },
  { layer: 'boundaries', properties: { kind: 'county', kind_detail: 6 }, geometry: line([8.47, 47.4], [8.48, 47.52]) },
  {
    layer: 'places',
    properties: {
      kind: 'locality',
      kind_detail: 'city',
      name: 'Teststadt',
      'name:en': 'Testville',
      min_zoom: 6,
      population_rank: 9,
      sort_key: 1,
    },
    geometry: point(8.51, 47.43),
  },
  {
    layer: 'pois',
    properties: { kind: 'station', name: 'Test Bahnhof', min_zoom: 11 },
    geometry: point(8.53, 47.455),
  },
  { layer: 'pois', properties: { kind: 'bench', name: 'A bench', min_zoom: 11 }, geometry: point(8.54, 47.5) },
];

/** As `pmtiles extract` cuts it: whole tiles, zoom 8 to 13. */
export function protomapsArchive(metadata: Readonly<Record<string, unknown>> = {}): Uint8Array {
  const layers = [...new Set(FEATURES.map(({ layer }) => layer))];
  const indices = layers.map((layer) => {
    const features = FEATURES.filter((feature) => feature.layer === layer).map(
      ({ properties, geometry }): GeoJSON.Feature => ({ type: 'Feature', properties: { ...properties }, geometry }),
    );
    return {
      layer,
      index: new GeoJSONVT({ type: 'FeatureCollection', features }, { maxZoom: ZOOM.max, extent: EXTENT, buffer: 64 }),
    };
  });
  const tiles = addresses(ZOOM.min, ZOOM.max).map(([z, x, y]): Tile => {
    const content: Record<string, GeoJSONVTTile> = {};
    for (const { layer, index } of indices) {
      const tile = index.getTile(z, x, y);
      if (tile) content[layer] = tile;
    }
    return { z, x, y, data: fromGeojsonVt(content, { version: 2, extent: EXTENT }) };
  });
  return pmtilesArchive(tiles, {
    ...WHERE,
    metadata: {
      name: 'Protomaps Basemap',
      version: '4.12.0',
      attribution: '<a href="https://www.openstreetmap.org/copyright" target="_blank">© OpenStreetMap</a>',
      vector_layers: layers.map((id) => ({ id, fields: {} })),
      ...metadata,
    },
  });
}

export function pictureArchive(rgb: readonly [number, number, number], attribution = 'Test survey'): Uint8Array {
  const data = png(256, rgb);
  return pmtilesArchive(
    addresses(9, 12).map(([z, x, y]) => ({ z, x, y, data })),
    { ...WHERE, metadata: { attribution }, tiles: 'png' },
  );
}

const WHERE = { bounds: REGION, center: { lon: 8.55, lat: 47.46, zoom: 12 } } as const;

function addresses(minZoom: number, maxZoom: number): [number, number, number][] {
  const [west, south, east, north] = REGION;
  const found: [number, number, number][] = [];
  for (let z = minZoom; z <= maxZoom; z++) {
    const tile = (unit: number) => Math.floor(unit * 2 ** z);
    for (let x = tile(mercatorX(west)); x <= tile(mercatorX(east)); x++)
      for (let y = tile(mercatorY(north)); y <= tile(mercatorY(south)); y++) found.push([z, x, y]);
  }
  return found;
}

function png(side: number, rgb: readonly [number, number, number]): Uint8Array {
  const row = [0, ...Array.from({ length: side }, () => rgb).flat()];
  const size = Buffer.alloc(13);
  size.writeUInt32BE(side, 0);
  size.writeUInt32BE(side, 4);
  size.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', size),
    pngChunk('IDAT', deflateSync(Buffer.from(Array.from({ length: side }, () => row).flat()))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.byteLength, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
