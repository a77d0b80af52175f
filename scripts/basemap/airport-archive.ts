import { AIRPORT_LAYER, AIRPORT_TILE_ZOOM, AIRPORTS_ATTRIBUTION } from '#components/map/basemap/airport-tileset.ts';
import { MERCATOR_MAX_LAT_DEG } from '#lib/geo/mercator.ts';
import { readAirports, readRunways } from './airport-records.ts';
import { airportTiles } from './airport-tiles.ts';
import { pmtilesArchive } from './pmtiles-archive.ts';

/** Builds the airports and runways as one PMTiles archive. */
export function airportArchive(): { archive: Uint8Array; tileCount: number } {
  const tiles = airportTiles(readAirports(), readRunways());
  const fields = {
    [AIRPORT_LAYER.airports]: { name: 'String', codes: 'String', kind: 'String', runways: 'Boolean' },
    [AIRPORT_LAYER.aerodromes]: {},
    [AIRPORT_LAYER.runways]: { width_px_z18: 'Number' },
    [AIRPORT_LAYER.runwayEnds]: { ident: 'String', anchor: 'String' },
  };
  const archive = pmtilesArchive(tiles, {
    metadata: {
      name: 'Lookout airports',
      type: 'overlay',
      attribution: AIRPORTS_ATTRIBUTION,
      vector_layers: Object.entries(fields).map(([id, layerFields]) => ({
        id,
        minzoom: AIRPORT_TILE_ZOOM.min,
        maxzoom: AIRPORT_TILE_ZOOM.max,
        fields: layerFields,
      })),
    },
    bounds: [-180, -MERCATOR_MAX_LAT_DEG, 180, MERCATOR_MAX_LAT_DEG],
    center: { lon: 0, lat: 20, zoom: AIRPORT_TILE_ZOOM.min },
  });
  return { archive, tileCount: tiles.length };
}
