import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AIRPORTS_ARCHIVE_PATH } from '#components/map/basemap/airport-tileset.ts';
import { BASEMAP_ARCHIVE_PATH, BASEMAP_FONTS_PATH } from '#components/map/basemap/basemap-tileset.ts';
import { LABEL_FONT_FILES } from '#components/map/basemap/label-fonts.ts';
import { airportArchive } from './airport-archive.ts';
import { basemapArchive } from './basemap-archive.ts';

// Writes archives and label fonts into public/basemap.

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

/** Renames a temporary file, so that no reader sees a partial one. */
function writeFileWhole(file: string, content: Uint8Array | string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.part`;
  writeFileSync(temporary, content);
  renameSync(temporary, file);
}
