// npm run map -- fetch URL --around LAT,LON,RADIUSkm: cuts a region from a Protomaps archive on the web into
// DATA_DIR/maps.
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { commandText } from '#lib/commands/command-text.ts';
import { dataDirProblem, makeFolders } from '#lib/server/database/data-dir.ts';
import { mapNameProblem, mapsFolder } from '#lib/server/maps/map-setting.ts';
import { planRegion } from '#lib/server/street-map/plan-region.ts';
import { FetchFailure, RangeSource } from '#lib/server/street-map/range-source.ts';
import { parseAround, withSouthernPlace } from '#lib/server/street-map/region.ts';
import { sizeText, writeRegion } from '#lib/server/street-map/write-region.ts';
import { VERSION_LINE } from '#lib/version/lookout-version.ts';
import { endAfterVersion } from './setup/version-option.ts';

endAfterVersion();

const usage = `${VERSION_LINE}${commandText('map', 'fetch URL --around LAT,LON,RADIUSkm')}   cuts a region from a PMTiles archive at a web address
  --name NAME      what Lookout calls the map (default: the place and radius)
  --max-zoom Z     leaves out higher zooms, which take most of the room (default: all)
  --max-mb N       refuses to fetch more (default: 1000)
Daily builds of the whole world are at https://maps.protomaps.com/builds. The map is written to DATA_DIR/maps, or data/maps.
`;

const say = (line: string) => process.stdout.write(`${line}\n`);
function stop(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => interrupted.abort(new FetchFailure('Interrupted; nothing of the map was kept.')));

try {
  await run();
} catch (error) {
  stop(error instanceof FetchFailure ? error.message : String(error instanceof Error ? error.stack : error));
}

async function run(): Promise<void> {
  const { values, positionals } = options();
  const [action, address, ...rest] = positionals;
  if (values.help) return void process.stdout.write(usage);
  if (action !== 'fetch' || address === undefined || values.around === undefined || rest.length > 0) stop(usage);
  const around = parseAround(values.around);
  const url = addressOf(address);
  const maxBytes = numberOf('--max-mb', values['max-mb'] ?? '1000', 1, 1_000_000) * 1e6;
  const maxZoom = values['max-zoom'] === undefined ? undefined : numberOf('--max-zoom', values['max-zoom'], 0, 22);
  const name = values.name ?? `${values.around.trim().replaceAll(',', '_')}`;
  const nameProblem = basename(name) === name ? mapNameProblem(name) : 'must not have slashes';
  if (nameProblem !== undefined) stop(`--name ${nameProblem}.`);
  const dataDir = resolve(process.env.DATA_DIR?.trim() || 'data');
  const file = join(mapsFolder(dataDir), `${name}.pmtiles`);

  const source = new RangeSource(url, { signal: interrupted.signal });
  say(`Reading the directories of ${url} …`);
  const plan = await planRegion(source, around, maxZoom);
  const { tiles, bytes, batches } = plan;
  say(
    `${tiles} tiles up to zoom ${plan.maxZoom}, ${sizeText(bytes)}, in ${batches.length} ${batches.length === 1 ? 'request' : 'requests'}`,
  );
  if (bytes > maxBytes)
    stop(
      `That is more than --max-mb ${maxBytes / 1e6}: take a smaller radius, a lower --max-zoom, or a larger --max-mb.`,
    );
  try {
    makeFolders(dataDir, 0o700);
  } catch (error) {
    stop((dataDirProblem(dataDir, error) ?? (error as Error)).message);
  }
  let done = 0;
  await writeRegion(source, plan, file, () => {
    done++;
    if (process.stdout.isTTY) process.stdout.write(`\r${Math.floor((100 * done) / batches.length)}% `);
  });
  say(`${process.stdout.isTTY ? '\r' : ''}The map is in ${file}. Reload the page: Lookout serves it as “${name}”.`);
}

function options() {
  try {
    return parseArgs({
      args: withSouthernPlace(process.argv.slice(2)),
      allowPositionals: true,
      options: {
        around: { type: 'string' },
        name: { type: 'string' },
        'max-zoom': { type: 'string' },
        'max-mb': { type: 'string' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    return stop(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
}

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    return stop(`${text} is no web address: write one such as https://build.protomaps.com/20260101.pmtiles.`);
  if (text.includes('YYYYMMDD'))
    return stop('Replace YYYYMMDD by the date of a build that is listed at https://maps.protomaps.com/builds.');
  return url;
}

function numberOf(option: string, text: string, min: number, max: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return number >= min && number <= max ? number : stop(`${option} must be a whole number from ${min} to ${max}.`);
}
