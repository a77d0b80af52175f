import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ParseArgsConfig, parseArgs, parseEnv } from 'node:util';
import type { DatabaseTarget } from '#lib/server/database/open-database.ts';
import { databaseConfig, databaseProblems, databaseSettings } from '#lib/server/settings/server-settings.ts';

export function stop(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** Ends the process for `--help`, and with the usage for an unknown option. */
export function readCommandLine<const Options extends NonNullable<ParseArgsConfig['options']>>(
  usage: string,
  options: Options,
) {
  try {
    const read = parseArgs({ allowPositionals: true, options: { ...options, help: { type: 'boolean' } } });
    if ((read.values as { help?: boolean }).help) {
      process.stdout.write(usage);
      process.exit(0);
    }
    return read;
  } catch (error) {
    return stop(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
}

/** npm runs commands in the folder of the package, and names the caller's. */
export function callersPath(path: string): string {
  return resolve(process.env.INIT_CWD ?? '.', path);
}

/**
 * Adds to the environment what it lacks. Ends the process if the file cannot be read.
 * @param file in the form of `/etc/lookout/lookout.env`
 */
export function readSettingsFile(file: string): void {
  try {
    for (const [name, value] of Object.entries(parseEnv(readFileSync(callersPath(file), 'utf8'))))
      process.env[name] ??= value;
  } catch (error) {
    stop(`--settings cannot be read: ${(error as Error).message}`);
  }
}

export function readDataDir(): string {
  return resolve(process.env.DATA_DIR?.trim() || 'data');
}

/** Ends the process with what is wrong. */
export function readDatabase(): DatabaseTarget {
  const settings = databaseSettings.parse(process.env);
  const problems = [...databaseProblems(settings)].map((problem) => problem.join(' '));
  if (problems.length > 0) stop(problems.join('\n'));
  return databaseConfig({ ...settings, DATA_DIR: readDataDir() }).database;
}
