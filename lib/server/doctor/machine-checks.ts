// Checks of the machine: DATA_DIR, its disk, backups, and versions.
import 'server-only';
import { accessSync, constants, existsSync, readdirSync, type Stats, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { commandText } from '#lib/commands/command-text.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import { DATA_DIR_LOCK, dataDirProblem, isOurs, refuseOldDataDir } from '../database/data-dir.ts';
import { DATABASE_FILE } from '../database/sqlite-file.ts';
import { LAST_BACKUP_FILE, readLastBackup } from '../metrics/last-backup.ts';
import { fine, type Said, unknown, wrong } from './examine.ts';

const OTHERS = 0o077;
const STICKY = 0o1000;

/** @param uid of the user that examines it; `undefined` where users have none */
export function folderFindings(dataDir: string, uid = process.getuid?.()): readonly Said[] {
  const path = resolve(dataDir);
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && uid !== undefined && uid !== 0 && uid !== found.uid)
      return [
        wrong(
          `${path} belongs to user ${found.uid}, and this runs as user ${uid}`,
          'Run it as the user of Lookout, such as sudo -u lookout.',
        ),
      ];
    const nearest = nearestOf(path);
    readdirSync(nearest);
    accessSync(nearest, constants.W_OK | constants.X_OK);
    if (!found) return [fine(`${path} is not there yet: the first start makes it`)];
    refuseOldDataDir(path);
    return rightsOf(path, found);
  } catch (error) {
    return [wrong((dataDirProblem(path, error) ?? (error as Error)).message)];
  }
}

/** Of the folder and of Lookout’s files in it. */
function rightsOf(path: string, folder: Stats): readonly Said[] {
  const mode = (folder.mode & 0o777).toString(8);
  const files = readdirSync(path)
    // The lock has no content.
    .filter((name) => isOurs(name) && !name.startsWith(DATA_DIR_LOCK))
    .map((name) => join(path, name));
  const states = [path, ...files].map((each) => ({ each, of: statSync(each, { throwIfNoEntry: false }) ?? folder }));
  const named = (list: typeof states) => list.map(({ each }) => each).join(' ');
  const foreign = states.filter(({ of }) => of.uid !== folder.uid);
  const open = states.filter(
    ({ of }) => process.platform !== 'win32' && (of.mode & STICKY) === 0 && (of.mode & OTHERS) !== 0,
  );
  const said = [
    ...(foreign.length > 0
      ? [
          wrong(
            `Another user than that of the folder has ${named(foreign)}`,
            `chown --reference=${path} ${named(foreign)}`,
          ),
        ]
      : []),
    ...(open.length > 0 ? [wrong(`Other users may read ${named(open)}`, `chmod go= ${named(open)}`)] : []),
  ];
  return said.length > 0 ? said : [fine(`${path} is of user ${folder.uid}, with mode ${mode}`)];
}

function nearestOf(path: string): string {
  return existsSync(path) ? path : nearestOf(dirname(path));
}

const FREE_MIN_BYTES = 500e6;

/** @param freeOf bytes of the disk of a folder */
export function diskFindings(dataDir: string, freeOf = freeBytes): readonly Said[] {
  const path = resolve(dataDir);
  const free = freeOf(nearestOf(path));
  const file = join(path, DATABASE_FILE);
  const database = existsSync(file) ? statSync(file).size : 0;
  // A migration copies the database before it changes it.
  const needed = Math.max(FREE_MIN_BYTES, 2 * database);
  const found = `${bytesText(free)} free on the disk of ${path}`;
  return [free < needed ? wrong(found, `Make room: ${bytesText(needed)} should be free.`) : fine(found)];
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

function bytesText(bytes: number): string {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

const BACKUP_MAX_DAYS = 2;

/** @param isNeeded false over simulated positions: nothing is lost with them */
export function backupFindings(dataDir: string, nowMs: number, isNeeded: boolean): readonly Said[] {
  const daily = `Back up every day: ${commandText('backup', '--keep 14 FOLDER')} (docs/backup.md)`;
  const last = readLastBackup(dataDir);
  if (!last && whereabouts(join(dataDir, LAST_BACKUP_FILE)) === 'closed') return [CLOSED];
  if (!last)
    return [isNeeded ? wrong('No backup is known', daily) : fine('No backup is known; all positions are simulated')];
  const { made, verified, folder = 'FOLDER' } = last;
  const days = (nowMs - Date.parse(made)) / DAY_MS;
  const age = days < 1 ? `${Math.max(0, Math.floor(days * 24))} h` : `${Math.floor(days)} days`;
  const found = `The newest backup is ${age} old (${made})`;
  if (days > BACKUP_MAX_DAYS) return [wrong(found, daily)];
  if (last.folder !== undefined && whereabouts(join(folder, 'manifest.json')) === 'missing')
    return [wrong(`${found}, and is no longer in ${folder}`, 'Back up again.')];
  if (verified === null)
    return [unknown(`${found}, and was never read again`, `Read it: ${commandText('backup', `--verify ${folder}`)}`)];
  return [fine(`${found}, and was read whole at ${verified}`)];
}

export const CLOSED = unknown('This user may not enter DATA_DIR', 'See Folder.');

/** `closed`: this user may not enter its folder. */
export function whereabouts(file: string): 'there' | 'missing' | 'closed' {
  try {
    return statSync(file, { throwIfNoEntry: false }) ? 'there' : 'missing';
  } catch {
    return 'closed';
  }
}

/** A program of other files has another text. */
export function versionText(): string {
  const { node, sqlite } = process.versions;
  return `Lookout ${LOOKOUT_VERSION}, Node ${node}, SQLite ${sqlite}`;
}
