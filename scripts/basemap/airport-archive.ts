import {
  AIRPORT_TILE_EXTENT,
  AIRPORT_TILE_ZOOM,
  AIRPORTS_ATTRIBUTION,
} from '#components/map/basemap/airport-tileset.ts';
import { airportLayers } from './airport-layers.ts';
import { readAirports, readRunways } from './airport-records.ts';
import { worldArchive } from './world-archive.ts';

export function airportArchive(): Uint8Array {
  return worldArchive(
    airportLayers(readAirports(), readRunways()),
    { minZoom: AIRPORT_TILE_ZOOM.min, maxZoom: AIRPORT_TILE_ZOOM.max, extent: AIRPORT_TILE_EXTENT },
    { name: 'Lookout airports', type: 'overlay', attribution: AIRPORTS_ATTRIBUTION },
  );
}
