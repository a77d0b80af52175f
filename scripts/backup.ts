// npm run backup -- FOLDER: backs up a running Lookout, over SQLite or PostgreSQL. With --verify, reads a backup again.

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { commandText } from '#lib/commands/command-text.ts';
import { settingsSchema } from '#lib/server/settings/config.ts';
import { LOOKOUT_VERSION, VERSION_LINE } from '#lib/version/lookout-version.ts';
import { type BackupPart, failureText, type Manifest, PARTS } from './backup/backup-form.ts';
import { datedBackups, datedName, makeBackup, noteBackup, noteVerified, rotate } from './backup/make-backup.ts';
import { verifyBackup } from './backup/verify-backup.ts';
import {
  callersPath,
  readCommandLine,
  readDatabase,
  readDataDir,
  readSettingsFile,
  stop,
} from './setup/command-line.ts';
import { endAfterVersion } from './setup/version-option.ts';

endAfterVersion();

process.umask(0o077);

const form = (args: string) => commandText('backup', args.padEnd(18));
const usage = `${VERSION_LINE}${form('FOLDER')} backs up a running Lookout into a new folder
${form('--keep N FOLDER')} makes a folder with the time as its name in FOLDER, and deletes all but the latest N there
${form('--verify FOLDER')} reads a backup again: digests, database, counts; of a folder with several, the latest
  --with maps                        takes the maps of DATA_DIR, too
  --without PART[,PART]              leaves out past (of the receivers) or reference-secret
  --settings FILE                    reads DATA_DIR and DATABASE_URL from a file such as /etc/lookout/lookout.env
The database is that of DATABASE_URL, or in DATA_DIR (data). A backup contains secrets. Exit code: 0 for a whole backup, 1 otherwise.
`;

const { values, positionals } = readCommandLine(usage, {
  keep: { type: 'string' },
  verify: { type: 'boolean' },
  with: { type: 'string' },
  without: { type: 'string' },
  settings: { type: 'string' },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const [given, ...rest] = positionals;
if (given === undefined || rest.length > 0) stop(usage);
const isMade = [values.keep, values.with, values.without].some((value) => value !== undefined);
if (values.verify && isMade) stop(`--verify goes with --settings alone.\n\n${usage}`);
const keep = values.keep === undefined ? undefined : numberOf(values.keep);
const parts = partsOf(values.with, values.without);
if (values.settings !== undefined) readSettingsFile(values.settings);
const dataDir = readDataDir();
const folder = callersPath(given);

if (values.verify) await verify();
else await make();

async function make(): Promise<void> {
  const made = keep === undefined ? folder : join(folder, datedName(new Date()));
  const database = readDatabase();
  let manifest: Manifest;
  try {
    if (keep !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
    const options = { dataDir, database, folder: made, parts, version: LOOKOUT_VERSION, elsewhere: filesElsewhere() };
    manifest = await makeBackup(options);
  } catch (error) {
    return stop(
      `There is no backup yet, and nothing is left in ${made}: ${failureText(error, 'Name a folder on another disk')}`,
    );
  }
  noteBackup(dataDir, { made: manifest.made, verified: new Date().toISOString(), folder: made });
  sayCounts(manifest);
  for (const line of manifest.database.differences) say(`Altered tables, which no restore takes: ${line}`);
  for (const line of manifest.not_taken) say(`Not taken: ${line}`);
  if (keep !== undefined) deleteOld(keep, made);
  say(`The backup is in ${made}. It contains secrets: keep it as you keep the key.`);
}

/** The new backup is good even if an old one cannot be deleted. */
function deleteOld(count: number, made: string): void {
  try {
    for (const name of rotate(folder, count, made)) say(`Deleted: ${name}, to keep ${count}`);
  } catch (error) {
    process.stderr.write(`Old backups in ${folder} were not deleted: ${(error as Error).message}\n`);
  }
}

async function verify(): Promise<void> {
  const latest = existsSync(join(folder, 'manifest.json')) ? undefined : datedBackups(folder).at(-1);
  const verified = latest ?? folder;
  const { manifest, problems, unopened, added } = await verifyBackup(verified);
  if (manifest) sayCounts(manifest);
  for (const name of added) say(`Not of the backup: ${name}`);
  if (!manifest || problems.length > 0)
    stop(`${verified} is not as it was made:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  if (unopened !== undefined) stop(`Not verified: ${unopened}.`);
  noteVerified(dataDir, manifest.made, verified);
  say(`${verified} is whole: ${Object.keys(manifest.files).length} files as when they were copied.`);
}

function sayCounts({ made, lookout, database: { kind, rows }, past, files }: Manifest): void {
  const filled = Object.entries(rows).filter(([, count]) => count > 0);
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  say(`Made at ${made} by Lookout ${lookout}, ${(bytes / 1e6).toFixed(1)} MB`);
  say(`Rows (${kind}): ${filled.map(([table, count]) => `${table} ${count}`).join(', ')}`);
  const { segments, logs, records } = past;
  if (segments + logs > 0) say(`Received past: ${segments} segments, ${logs} logs, ${records} records`);
}

function partsOf(added: string | undefined, left: string | undefined): readonly BackupPart[] {
  const [more, less] = [added, left].map((text) => (text ?? '').split(',').filter((name) => name !== ''));
  const wrong = [
    ...more!.filter((name) => name !== 'maps'),
    ...less!.filter((name) => !isPart(name) || name === 'maps'),
  ];
  if (wrong.length > 0) stop(`${wrong.join(', ')} cannot be given there.\n\n${usage}`);
  return PARTS.filter((part) => (part === 'maps' ? more!.includes(part) : !less!.includes(part)));
}

function isPart(name: string): name is BackupPart {
  return PARTS.some((part) => part === name);
}

function numberOf(text: string): number {
  return /^[1-9]\d{0,3}$/.test(text) ? Number(text) : stop(`--keep must be a whole number from 1 to 9999.\n\n${usage}`);
}

/** Settings and the files that they name are in the care of the administrator. */
function filesElsewhere(): readonly string[] {
  const { env } = process;
  const named = Object.keys(settingsSchema.shape).filter((name) => name.endsWith('_FILE') && env[name]?.trim());
  const feeds = env.RECEIVERS?.trim().endsWith('.json') ? ['RECEIVERS'] : [];
  return [
    `the settings${values.settings === undefined ? '' : ` (${values.settings})`}: keep a copy apart`,
    ...[...named, ...feeds].map((name) => `${env[name]?.trim()}, which ${name} names: keep a copy apart`),
  ];
}
