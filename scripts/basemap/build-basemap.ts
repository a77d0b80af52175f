import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AIRPORTS_ARCHIVE_PATH } from '#components/map/basemap/airport-tileset.ts';
import {
  BASEMAP_ARCHIVE_PATH,
  BASEMAP_ATTRIBUTION,
  BASEMAP_FONTS_PATH,
  BASEMAP_LAYER,
  BASEMAP_MAX_TILE_ZOOM,
  BASEMAP_TILE_EXTENT,
} from '#components/map/basemap/basemap-tileset.ts';
import { LABEL_FONT_FILES } from '#components/map/basemap/label-fonts.ts';
import { airportArchive } from './airport-archive.ts';
import { borderShapes, coastShapes, landShapes, riverShapes } from './flat-shapes.ts';
import { lakeShapes } from './lakes.ts';
import { rankedPlaces } from './ranked-places.ts';
import { readCountries, readLakes, readPlaces, readRivers } from './read-package-data.ts';
import { type TileFeature, worldArchive } from './world-archive.ts';

// Writes archives and label fonts into public/basemap.

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Twice the widest line, in tile units. */
const BUFFER_UNITS = 32;

/** Less than half a pixel. Higher zooms enlarge the last one's tiles, so it keeps every point. */
const SURVEYED = { toleranceUnits: 3.5, bufferUnits: BUFFER_UNITS };

/** Contours have a point every few hundred metres. At zoom 6 this is about 200 m. */
const CONTOURED = { toleranceUnits: 1.5, simplifiesLastZoom: true, bufferUnits: BUFFER_UNITS };

function inPublic(urlPath: string): string {
  return path.join(ROOT, 'public', urlPath);
}

writeFileWhole(inPublic(BASEMAP_ARCHIVE_PATH), basemapArchive());
writeFileWhole(inPublic(AIRPORTS_ARCHIVE_PATH), airportArchive());
for (const { packageName, fileName } of LABEL_FONT_FILES) {
  const font = readFileSync(path.join(ROOT, 'node_modules', packageName, 'files', fileName));
  writeFileWhole(inPublic(`${BASEMAP_FONTS_PATH}/${fileName}`), font);
}

/** Renames a temporary file, so that no reader sees a partial one. */
function writeFileWhole(file: string, content: Uint8Array | string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.part`;
  writeFileSync(temporary, content);
  renameSync(temporary, file);
}

function basemapArchive(): Uint8Array {
  const countries = readCountries();
  return worldArchive(
    [
      { name: BASEMAP_LAYER.land, features: landShapes(countries), ...SURVEYED },
      { name: BASEMAP_LAYER.lakes, features: lakeShapes(readLakes()), ...CONTOURED },
      { name: BASEMAP_LAYER.rivers, features: riverShapes(readRivers()), ...SURVEYED },
      { name: BASEMAP_LAYER.coast, features: coastShapes(countries), ...SURVEYED },
      { name: BASEMAP_LAYER.borders, features: borderShapes(countries), ...SURVEYED },
      { name: BASEMAP_LAYER.places, features: placeFeatures(), toleranceUnits: 0, bufferUnits: 0 },
    ],
    { minZoom: 0, maxZoom: BASEMAP_MAX_TILE_ZOOM, extent: BASEMAP_TILE_EXTENT },
    { name: 'Lookout offline basemap', type: 'baselayer', attribution: BASEMAP_ATTRIBUTION },
  );
}

function placeFeatures(): TileFeature[] {
  return rankedPlaces(readPlaces()).map(({ lon, lat, attributes }) => ({
    type: 'Feature',
    properties: { minZoom: attributes.min_zoom, attributes },
    geometry: { type: 'Point', coordinates: [lon, lat] },
  }));
}
