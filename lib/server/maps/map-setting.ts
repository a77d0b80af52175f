import 'server-only';
import { closeSync, openSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { mapFileProblem } from './map-file.ts';

export interface ConfiguredMap {
  /** The name is shown to operators, and stored by their browsers. */
  readonly name: string;
  readonly file: string;
}

const NAME_MAX_CHARACTERS = 40;
const PRINTABLE = /^[^\p{C}]+$/u;
const TAKEN_NAME = 'built-in';
const EXTENSION = /\.pmtiles$/i;

/** Each file there is a map without a setting. */
export function mapsFolder(dataDir: string): string {
  return join(dataDir, 'maps');
}

/** `FILE[,NAME=FILE…]`; the default name is the file's without the extension. */
export function configuredMaps(setting: string): readonly ConfiguredMap[] {
  return setting
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => {
      const at = entry.indexOf('=');
      const file = entry.slice(at + 1).trim();
      return { name: at < 0 ? basename(file).replace(EXTENSION, '') : entry.slice(0, at).trim(), file };
    });
}

/** The maps in a folder, sorted; none if it can't be read. */
export function mapsIn(folder: string): readonly ConfiguredMap[] {
  let files: readonly string[];
  try {
    files = readdirSync(folder);
  } catch {
    return [];
  }
  return files
    .filter((file) => EXTENSION.test(file))
    .map((file) => ({ name: file.replace(EXTENSION, ''), file: join(folder, file) }))
    .filter(({ name }) => mapNameProblem(name) === undefined)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function mapNameProblem(name: string): string | undefined {
  if (name.toLowerCase() === TAKEN_NAME)
    return `names a map “${name}”, as the map that is always there; give it another name`;
  if (!PRINTABLE.test(name) || name.length > NAME_MAX_CHARACTERS)
    return `must name each map in 1 to ${NAME_MAX_CHARACTERS} printable characters, as in Airfield=/maps/airfield.pmtiles`;
  return undefined;
}

/** Problems, each as the end of a sentence that begins with the setting. */
export function configuredMapProblems(maps: readonly ConfiguredMap[]): readonly string[] {
  const problems: string[] = [];
  const names = new Set<string>();
  for (const { name, file } of maps) {
    const folded = name.toLowerCase();
    const nameProblem = mapNameProblem(name);
    if (nameProblem !== undefined) problems.push(nameProblem);
    else if (names.has(folded))
      problems.push(`has two maps called “${name}”; give each its own name, as in NAME=${file}`);
    names.add(folded);
    const problem = startProblem(file);
    if (problem !== undefined) problems.push(`names ${file}, which ${problem}`);
  }
  return problems;
}

function startProblem(file: string): string | undefined {
  let fd: number | undefined;
  try {
    // Opening a pipe would wait for a writer.
    const stat = statSync(file);
    if (!stat.isFile()) return 'is not a file; name a PMTiles archive';
    fd = openSync(file, 'r');
    return mapFileProblem(fd, stat.size);
  } catch (error) {
    return `cannot be read (${error instanceof Error && 'code' in error ? error.code : 'unknown error'})`;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
