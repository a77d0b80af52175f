// Checks of the machine: DATA_DIR, its disk, backups, and versions.
import 'server-only';
import { accessSync, constants, existsSync, readdirSync, type Stats, statfsSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { commandText } from '#lib/commands/command-text.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import { OLDEST_BROWSERS } from '#lib/version/oldest-browsers.ts';
import { DATA_DIR_LOCK, isOurs, refuseOldDataDir } from '../database/data-dir.ts';
import { DATABASE_FILE } from '../database/sqlite-file.ts';
import { readLastBackup } from '../metrics/last-backup.ts';
import { fine, type Said, unknown, wrong } from './examine.ts';

const OTHERS = 0o077;
const STICKY = 0o1000;
const NAMES_MAX = 3;

/** @param uid of the user that examines it; `undefined` where users have none */
export function folderFindings(dataDir: string, uid = process.getuid?.()): readonly Said[] {
  const path = resolve(dataDir);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return [missingFolder(path)];
  if (!found.isDirectory()) return [wrong(`DATA_DIR names ${path}, which is no folder`, 'Set DATA_DIR to a folder.')];
  const refused = refusal(path, constants.R_OK | constants.X_OK);
  if (refused === 'EACCES' || (uid !== undefined && uid !== 0 && uid !== found.uid))
    return [
      wrong(
        `${path} belongs to user ${found.uid}, and this runs as user ${uid}`,
        'Run it as the user of Lookout, such as sudo -u lookout.',
      ),
    ];
  try {
    refuseOldDataDir(path);
  } catch (error) {
    return [wrong((error as Error).message)];
  }
  const said = [...rightsOf(path, found)];
  return said.length > 0 ? said : [fine(`${path} is of user ${found.uid}, with mode ${modeText(found)}`)];
}

function* rightsOf(path: string, found: Stats): Generator<Said> {
  const written = refusal(path, constants.W_OK);
  if (written === 'EROFS') yield wrong(`The disk of ${path} is read-only`, 'Mount it writable.');
  else if (written !== undefined)
    yield wrong(`${path} cannot be written (mode ${modeText(found)})`, `chmod 700 ${path}`);
  if (process.platform === 'win32') return;
  if ((found.mode & OTHERS) !== 0 && (found.mode & STICKY) === 0)
    yield wrong(`Other users may enter ${path} (mode ${modeText(found)})`, `chmod 700 ${path}`);
  const ours = readdirSync(path)
    .filter(isOurs)
    .map((name) => ({ name, of: statSync(join(path, name), { throwIfNoEntry: false }) }))
    .filter(({ of }) => of?.isFile());
  const foreign = ours.filter(({ of }) => of?.uid !== found.uid);
  if (foreign.length > 0)
    yield wrong(
      `In ${path}, ${namesText(foreign)} are of another user than the folder`,
      `chown --reference=${path} ${foreign.map(({ name }) => join(path, name)).join(' ')}`,
    );
  // The lock has no content.
  const open = ours.filter(({ name, of }) => of && (of.mode & OTHERS) !== 0 && !name.startsWith(DATA_DIR_LOCK));
  if (open.length > 0)
    yield wrong(
      `Other users may read ${namesText(open)} in ${path}`,
      `chmod 600 ${open.map(({ name }) => join(path, name)).join(' ')}`,
    );
}

function missingFolder(path: string): Said {
  const above = nearest(path);
  if (!statSync(above).isDirectory()) return wrong(`${above} is no folder`, 'Set DATA_DIR to another folder.');
  return refusal(above, constants.W_OK) === undefined
    ? fine(`${path} is not there yet: the first start makes it`)
    : wrong(`${path} is not there, and ${above} cannot be written`, `Make it: install -d -m 700 -o USER ${path}`);
}

function refusal(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

function nearest(path: string): string {
  return existsSync(path) ? path : nearest(dirname(path));
}

function modeText({ mode }: Stats): string {
  return (mode & 0o777).toString(8);
}

function namesText(files: readonly { readonly name: string }[]): string {
  const shown = files.slice(0, NAMES_MAX).map(({ name }) => name);
  return [...shown, ...(files.length > NAMES_MAX ? [`${files.length - NAMES_MAX} more`] : [])].join(', ');
}

const FREE_MIN_BYTES = 500e6;
const LASTS_MIN_DAYS = 14;
/** A shorter time says little about a day. */
const GROWTH_MIN_DAYS = 2;

interface DiskOptions {
  readonly nowMs: number;
  readonly free?: (path: string) => number;
}

export async function diskFindings(
  dataDir: string,
  { nowMs, free = freeBytes }: DiskOptions,
): Promise<readonly Said[]> {
  const bytes = free(nearest(resolve(dataDir)));
  const { total, database, sinceMs } = await kept(resolve(dataDir));
  // A migration copies the database before it changes it.
  const needed = Math.max(FREE_MIN_BYTES, 2 * database);
  const days = (nowMs - sinceMs) / DAY_MS;
  const perDay = days >= GROWTH_MIN_DAYS ? total / days : undefined;
  const grows =
    perDay === undefined
      ? 'how fast that grows is not known yet'
      : `${bytesText(perDay)} more a day on average, since ${new Date(sinceMs).toISOString().slice(0, 10)}`;
  const state = `${bytesText(bytes)} free; Lookout keeps ${bytesText(total)} in ${resolve(dataDir)}: ${grows}`;
  if (bytes < needed) return [wrong(state, `Make room: ${bytesText(needed)} should be free.`)];
  const lasts = perDay ? bytes / perDay : Number.POSITIVE_INFINITY;
  return lasts < LASTS_MIN_DAYS
    ? [
        wrong(
          `${state}. The disk is full in ${Math.floor(lasts)} days`,
          'Make room, or keep less (AUDIT_DAYS, ALARM_DAYS).',
        ),
      ]
    : [fine(state)];
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** Bytes below DATA_DIR, and the time of the first file. Maps and copies do not grow. */
async function kept(dataDir: string) {
  let [total, database, sinceMs] = [0, 0, Date.now()];
  for (const folder of [dataDir, join(dataDir, 'receivers')]) {
    const entries = existsSync(folder)
      ? await readdir(folder, { withFileTypes: true, recursive: folder !== dataDir })
      : [];
    for (const entry of entries) {
      const found = entry.isFile() ? await stat(join(entry.parentPath, entry.name)).catch(() => undefined) : undefined;
      if (!found) continue;
      total += found.size;
      if (folder === dataDir && entry.name.startsWith(DATABASE_FILE)) database += found.size;
      // 0 where the file system does not keep it.
      if (found.birthtimeMs > 0) sinceMs = Math.min(sinceMs, found.birthtimeMs);
    }
  }
  return { total, database, sinceMs };
}

export function bytesText(bytes: number): string {
  if (bytes < 1e5) return 'less than 0.1 MB';
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

const BACKUP_MAX_DAYS = 2;

export interface LatestBackup {
  readonly nowMs: number;
  /** False over simulated positions: nothing is lost with them. */
  readonly isNeeded: boolean;
  /** @returns what is wrong with the backup in a folder */
  readonly problemsOf?: (folder: string) => readonly string[];
}

export function backupFindings(
  dataDir: string,
  { nowMs, isNeeded, problemsOf = missingManifest }: LatestBackup,
): readonly Said[] {
  const daily = `Back up every day: ${commandText('backup', '--keep 14 FOLDER')} (docs/backup.md)`;
  const last = readLastBackup(dataDir);
  if (!last)
    return isNeeded ? [wrong('No backup is known', daily)] : [fine('No backup is known; all positions are simulated')];
  const { made, verified, folder } = last;
  const days = (nowMs - Date.parse(made)) / DAY_MS;
  const age = days < 1 ? `${Math.max(0, Math.floor(days * 24))} h` : `${Math.floor(days)} days`;
  const text = `The newest backup is ${age} old (${made})`;
  if (days > BACKUP_MAX_DAYS) return [wrong(text, daily)];
  const reads = commandText('backup', `--verify ${folder ?? 'FOLDER'}`);
  if (folder !== undefined) {
    const [problem] = problemsOf(folder);
    if (problem !== undefined)
      return [wrong(`${text}, and is not whole: ${problem}`, `Back up again. ${reads} says more.`)];
  }
  if (verified === null) return [unknown(`${text}, and was never read again`, `Read it: ${reads}`)];
  return [fine(`${text}, and was read whole at ${verified}`)];
}

/** A folder that this user may not enter says nothing. */
function missingManifest(folder: string): readonly string[] {
  const refused = refusal(join(folder, 'manifest.json'), constants.F_OK);
  return refused === 'ENOENT' || refused === 'ENOTDIR' ? [`${folder} has no manifest.json`] : [];
}

const NODE_MIN = 24;

interface Versions {
  readonly node?: string;
  /** Of the Lookout that answers; `undefined` where none does. */
  readonly running?: string | undefined;
  readonly database: string;
}

export function versionFindings({ node = process.versions.node, running, database }: Versions): readonly Said[] {
  const said = [
    ...(Number.parseInt(node, 10) < NODE_MIN
      ? [
          wrong(
            `Node ${node} is too old`,
            `Start Lookout with its own command (${commandText('lookout')}), which has Node ${NODE_MIN}.`,
          ),
        ]
      : []),
    ...(running !== undefined && running !== LOOKOUT_VERSION
      ? [wrong(`Lookout ${running} runs, and these files are ${LOOKOUT_VERSION}`, 'Start Lookout again.')]
      : []),
  ];
  if (said.length > 0) return said;
  return [fine(`Lookout ${LOOKOUT_VERSION}, Node ${node}, ${database}; browsers from ${OLDEST_BROWSERS}`)];
}
