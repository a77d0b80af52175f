import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type DatabaseTarget, openDatabase } from '#lib/server/database/open-database.ts';
import { endBenches, openedBench, seen } from '#service/past/files/past-bench.fixture.ts';
import { root } from '../docs/document.ts';

/** Rows that a dump writes with escapes, or that look like its own syntax. */
const ODD_TEXTS = ['\\.', 'two\nlines', 'a\ttab', '\\', 'COPY public.view (id) FROM stdin;', '', '“’', "'; commit; --"];

/** Both databases limit the values of a statement. */
const TIMES_AT_ONCE = 100;

/** @param times of a set of odd rows */
export async function fillDatabase(target: DatabaseTarget, times = 1): Promise<void> {
  const database = await openDatabase(target);
  await database.change(async (query) => {
    for (let first = 0; first < times; first += TIMES_AT_ONCE) {
      const at = Array.from({ length: Math.min(TIMES_AT_ONCE, times - first) }, (_, index) => first + index);
      const views = at.flatMap((time) =>
        ODD_TEXTS.map((text, index) => {
          const id = `${time}-${index}`;
          return { id, owner: `al${time}`, name: text, query: text, shared: 1, owner_name: 'Al' } as const;
        }),
      );
      await query.insertInto('view').values(views).execute();
    }
    await query.insertInto('ledger').values({ account: 'of an earlier hour', saved: '{}' }).execute();
  });
  await database.close();
}

export const RECEIVED = [
  'receivers/past/log/20261123T033000Z.log',
  'receivers/past/segments/20261123/adsb-20261123T032000Z.segment',
  'receivers/reach/2026-11-23.json',
  'receivers/reception/2026-11-23.json',
  'receivers/reference-secret',
  'receivers/stations/2026-11-23.json',
];
export const RECORDS = 3;

/** A past of two records in a segment and one in a log, and all else that a service keeps. */
export async function fillReceivers(dataDir: string): Promise<void> {
  const bench = await openedBench();
  await bench.append(seen(1, 1000), seen(2, 2000));
  await bench.sealAll();
  await bench.append(seen(1, 601_000));
  await bench.past.close();
  const receivers = join(dataDir, 'receivers');
  mkdirSync(receivers, { recursive: true });
  cpSync(bench.folder, join(receivers, 'past'), { recursive: true });
  await endBenches();
  const others = ['past/segments/20261123/rid-20261123T032000Z.segment.unfinished', 'past-may-be-deleted-before'];
  const kept = ['reach/2026-11-23.json', 'reception/2026-11-23.json', 'reference-secret', 'stations/2026-11-23.json'];
  for (const name of [...kept, ...others]) {
    mkdirSync(dirname(join(receivers, name)), { recursive: true });
    writeFileSync(join(receivers, name), name);
  }
}

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Settings = Readonly<Record<string, string>>;

function commandLine(script: 'backup' | 'restore', args: readonly string[], within: readonly string[]) {
  return [...within, process.execPath, '--conditions=react-server', join(root, `scripts/${script}.ts`), ...args];
}

/** @param within is put before the command */
export function runCommand(
  script: 'backup' | 'restore',
  args: readonly string[],
  settings: Settings,
  within: readonly string[] = [],
): Ran {
  const [program = '', ...rest] = commandLine(script, args, within);
  const { status, stdout, stderr } = spawnSync(program, rest, { env: environment(settings), encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** Kills the command with SIGKILL once `isMoment` says so. @returns whether it was killed before it ended */
export async function killCommand(
  script: 'backup' | 'restore',
  args: readonly string[],
  settings: Settings,
  isMoment: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const [program = '', ...rest] = commandLine(script, args, []);
  const child = spawn(program, rest, { env: environment(settings), stdio: 'ignore' });
  const ended = once(child, 'exit');
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  while (!hasEnded() && !(await isMoment())) await delay(1);
  child.kill('SIGKILL');
  const [, signal] = await ended;
  return signal === 'SIGKILL';
}

function environment(settings: Settings): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, DATA_DIR: __, ...inherited } = process.env;
  return { ...inherited, ...settings } as NodeJS.ProcessEnv;
}

export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();
}

/** Another process that writes without pause. */
export async function startWriting(target: DatabaseTarget): Promise<{ stop(): Promise<void> }> {
  const fixture = fileURLToPath(new URL('./write-until-killed.fixture.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=react-server', fixture, JSON.stringify(target)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return {
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
