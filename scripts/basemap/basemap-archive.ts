import { BASEMAP_ATTRIBUTION, BASEMAP_LAYER, BASEMAP_MAX_TILE_ZOOM } from '#components/map/basemap/basemap-tileset.ts';
import { MERCATOR_MAX_LAT_DEG } from '#lib/geo/mercator.ts';
import { borderShapes, coastShapes, landShapes, riverShapes } from './flat-shapes.ts';
import { lakeShapes } from './lake-shapes.ts';
import { pmtilesArchive } from './pmtiles-archive.ts';
import { rankedPlaces } from './ranked-places.ts';
import { readCountries, readLakes, readPlaces, readRivers } from './read-package-data.ts';
import { type ShapeLayer, tilePyramid } from './tile-pyramid.ts';

/** Less than half a pixel. The last zoom keeps every point, because its tiles are enlarged for all higher zooms. */
const SURVEYED = { toleranceUnits: 3.5, fullDetailAtLastZoom: true };

/** Contours have a point every few hundred metres, straight or not; at zoom 6 this tolerance is about 200 m. */
const CONTOURED = { toleranceUnits: 1.5, fullDetailAtLastZoom: false };

/** Builds the whole basemap as one PMTiles archive. Takes a few seconds of one core. */
export function basemapArchive(): { archive: Uint8Array; tileCount: number } {
  const countries = readCountries();
  const shapeLayers: ShapeLayer[] = [
    { name: BASEMAP_LAYER.land, shapes: landShapes(countries), ...SURVEYED },
    { name: BASEMAP_LAYER.lakes, shapes: lakeShapes(readLakes()), ...CONTOURED },
    { name: BASEMAP_LAYER.rivers, shapes: riverShapes(readRivers()), ...SURVEYED },
    { name: BASEMAP_LAYER.coast, shapes: coastShapes(countries), ...SURVEYED },
    { name: BASEMAP_LAYER.borders, shapes: borderShapes(countries), ...SURVEYED },
  ];
  const tiles = tilePyramid(shapeLayers, { name: BASEMAP_LAYER.places, places: rankedPlaces(readPlaces()) });

  const archive = pmtilesArchive(tiles, {
    metadata: {
      name: 'Lookout offline basemap',
      type: 'baselayer',
      attribution: BASEMAP_ATTRIBUTION,
      vector_layers: vectorLayers(shapeLayers),
    },
    bounds: [-180, -MERCATOR_MAX_LAT_DEG, 180, MERCATOR_MAX_LAT_DEG],
    center: { lon: 0, lat: 20, zoom: 1 },
  });
  return { archive, tileCount: tiles.length };
}

/** The `vector_layers` of TileJSON 3.0. */
function vectorLayers(shapeLayers: readonly ShapeLayer[]): unknown[] {
  const maxzoom = BASEMAP_MAX_TILE_ZOOM;
  const placeFields = { name: 'String', min_zoom: 'Number', rank: 'Number', weight: 'Number' };
  return [
    ...shapeLayers.map(({ name }) => ({ id: name, minzoom: 0, maxzoom, fields: {} })),
    { id: BASEMAP_LAYER.places, minzoom: 0, maxzoom, fields: placeFields },
  ];
}
