import 'server-only';
import { closeSync, openSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { mapFileProblem } from './map-file.ts';

export interface ConfiguredMap {
  /** Shown to operators, and remembered by their browsers. */
  readonly name: string;
  readonly file: string;
}

const NAME_MAX_CHARACTERS = 40;
const PRINTABLE = /^[^\p{C}]+$/u;
/** What the choice is called that is always there. */
const TAKEN_NAME = 'built-in';

/** The maps that a setting `FILE[,NAME=FILE…]` names. A file without a name is called by its own, without the extension. */
export function configuredMaps(setting: string): readonly ConfiguredMap[] {
  return setting
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => {
      const at = entry.indexOf('=');
      const file = entry.slice(at + 1).trim();
      return { name: at < 0 ? basename(file).replace(/\.pmtiles$/i, '') : entry.slice(0, at).trim(), file };
    });
}

/** Everything that is wrong with the maps of a setting, each as the end of a sentence that begins with the setting. */
export function configuredMapProblems(maps: readonly ConfiguredMap[]): readonly string[] {
  const problems: string[] = [];
  const names = new Set([TAKEN_NAME]);
  for (const { name, file } of maps) {
    const folded = name.toLowerCase();
    if (folded === TAKEN_NAME)
      problems.push(`names a map “${name}”, as the map that is always there; give it another name`);
    else if (names.has(folded))
      problems.push(`has two maps called “${name}”; give each its own name, as in NAME=${file}`);
    else if (!PRINTABLE.test(name) || name.length > NAME_MAX_CHARACTERS)
      problems.push(
        `must name each map in 1 to ${NAME_MAX_CHARACTERS} printable characters, as in Airfield=/maps/airfield.pmtiles`,
      );
    names.add(folded);
    const problem = startProblem(file);
    if (problem !== undefined) problems.push(`names ${file}, which ${problem}`);
  }
  return problems;
}

function startProblem(file: string): string | undefined {
  let fd: number | undefined;
  try {
    // Opening a pipe would wait for somebody to write to it.
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
