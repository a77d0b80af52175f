import 'server-only';
import { existsSync, renameSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { epochMs, type LocalInstant } from '#lib/time/instant.ts';
import { DamagedStore, storageProblem } from './storage-problem.ts';

/** Files that SQLite keeps beside a database: without its own, a new one would take up the log of the old. */
const COMPANIONS = ['-wal', '-shm', '-journal'];

/** Called with a file that was damaged, and under which name it was set aside. */
export type ReportRenewal = (renewal: { file: string; setAsideAs: string; error: unknown }) => void;

/**
 * Opens a store that can be made anew. If its file is damaged, it is set aside under a name with the time (UTC), and the store begins anew.
 * @throws what `open` throws for any other reason: a file that cannot be read now may be whole
 */
export function openOrRenew<Store>(
  file: string,
  open: (file: string) => Store,
  now: () => LocalInstant,
  report: ReportRenewal,
): Store {
  try {
    return open(file);
  } catch (error) {
    if (storageProblem(error) !== 'damaged') throw error;
    const setAsideAs = setAside(file, now());
    report({ file, setAsideAs, error });
    return open(file);
  }
}

function setAside(file: string, now: LocalInstant): string {
  const time = new Date(epochMs(now)).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  let name = `${file}.damaged-${time}`;
  for (let copy = 2; existsSync(name); copy++) name = `${file}.damaged-${time}-${copy}`;
  for (const companion of ['', ...COMPANIONS]) {
    if (existsSync(file + companion)) renameSync(file + companion, name + companion);
  }
  return name;
}

/** Reads the whole of a SQLite file, where there is one. @throws DamagedStore, and what SQLite throws */
export function requireWholeDatabase(file: string): void {
  if (!existsSync(file)) return;
  const database = new DatabaseSync(file);
  try {
    const { quick_check } = database.prepare('pragma quick_check(1)').get() as { quick_check: string };
    if (quick_check !== 'ok') throw new DamagedStore(quick_check);
  } finally {
    database.close();
  }
}
