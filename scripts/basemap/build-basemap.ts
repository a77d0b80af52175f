// Writes archives and label fonts into public/basemap.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { AIRPORTS_ARCHIVE_PATH } from '#components/map/basemap/airport-tileset.ts';
import { BASEMAP_ARCHIVE_PATH, BASEMAP_FONTS_PATH } from '#components/map/basemap/basemap-tileset.ts';
import { LABEL_FONT_FILES } from '#components/map/basemap/label-fonts.ts';
import { airportArchive } from './airport-archive.ts';
import { basemapArchive } from './basemap-archive.ts';
import { writeFileWhole } from './write-file-whole.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

function inPublic(urlPath: string): string {
  return path.join(ROOT, 'public', urlPath);
}

writeFileWhole(inPublic(BASEMAP_ARCHIVE_PATH), basemapArchive());
writeFileWhole(inPublic(AIRPORTS_ARCHIVE_PATH), airportArchive());
for (const { packageName, fileName } of LABEL_FONT_FILES) {
  const font = readFileSync(path.join(ROOT, 'node_modules', packageName, 'files', fileName));
  writeFileWhole(inPublic(`${BASEMAP_FONTS_PATH}/${fileName}`), font);
}
