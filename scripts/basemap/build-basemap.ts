import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AIRPORTS_ARCHIVE_PATH } from '#components/map/basemap/airport-tileset.ts';
import { BASEMAP_ARCHIVE_PATH, BASEMAP_FONTS_PATH } from '#components/map/basemap/basemap-tileset.ts';
import { LABEL_FONT_FILES } from '#components/map/basemap/label-fonts.ts';
import { BASEMAP_FOLDER, basemapInputs, basemapStamp, isBasemapCurrent, ROOT } from './basemap-stamp.ts';
import { writeFileWhole } from './write-file-whole.ts';

/**
 * Writes public/basemap (archives, label fonts, stamp.json) if its inputs have changed since the last build; otherwise
 * does nothing. An interrupted run leaves the previous complete files and no new stamp.
 */
export async function buildBasemap(): Promise<'built' | 'current'> {
  const stamp = basemapStamp(basemapInputs());
  if (isBasemapCurrent(stamp)) return 'current';

  process.stdout.write('Building the offline basemap … ');
  const startedMs = performance.now();
  // Imported late, so that a run with nothing to do ends at once.
  const { basemapArchive } = await import('./basemap-archive.ts');
  const { airportArchive } = await import('./airport-archive.ts');
  const built = [
    { file: BASEMAP_ARCHIVE_PATH, ...basemapArchive() },
    { file: AIRPORTS_ARCHIVE_PATH, ...airportArchive() },
  ];
  for (const { file, archive } of built) writeFileWhole(inPublic(file), archive);
  for (const { packageName, fileName } of LABEL_FONT_FILES) {
    const font = readFileSync(path.join(ROOT, 'node_modules', packageName, 'files', fileName));
    writeFileWhole(inPublic(`${BASEMAP_FONTS_PATH}/${fileName}`), font);
  }
  const outputs = [
    ...built.map(({ file }) => file),
    ...LABEL_FONT_FILES.map(({ fileName }) => `${BASEMAP_FONTS_PATH}/${fileName}`),
  ];
  writeFileWhole(
    path.join(BASEMAP_FOLDER, 'stamp.json'),
    `${JSON.stringify({ stamp, outputs: outputs.map((file) => path.relative(BASEMAP_FOLDER, inPublic(file))) }, null, 2)}\n`,
  );

  const sizes = built.map(
    ({ tileCount, archive }) => `${tileCount} tiles, ${(archive.byteLength / 1e6).toFixed(1)} MB`,
  );
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  process.stdout.write(`${sizes.join(' and ')}, ${seconds} s\n`);
  return 'built';
}

/** The file that the app serves at this URL path. */
function inPublic(urlPath: string): string {
  return path.join(ROOT, 'public', urlPath);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildBasemap();
