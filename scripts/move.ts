// npm run move -- --to DATABASE_URL | DATA_DIR: moves everything between SQLite and PostgreSQL, while Lookout is stopped.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { commandText } from '#lib/commands/command-text.ts';
import { DatabaseFailure } from '#lib/server/database/database-failure.ts';
import type { DatabaseTarget } from '#lib/server/database/open-database.ts';
import { readPostgresTarget } from '#lib/server/database/postgres-target.ts';
import { whereOf } from '#lib/server/database/schema.ts';
import { DATABASE_FILE } from '#lib/server/database/sqlite-file.ts';
import { mapsFolder } from '#lib/server/maps/map-setting.ts';
import { type Moved, type MoveStep, moveDatabase, undoMove } from '#lib/server/move/move-database.ts';
import { LEFT_TABLES, MOVED_TABLES } from '#lib/server/move/moved-tables.ts';
import { VERSION_LINE } from '#lib/version/lookout-version.ts';
import { endAfterVersion } from './setup/version-option.ts';
import { configuredDatabase } from './setup/with-database.ts';

endAfterVersion();

process.umask(0o077);

const [toCommand, undoCommand] = [commandText('move', '--to DATABASE_URL'), commandText('move', '--undo')];
const usage = `${VERSION_LINE}${toCommand}   moves everything that Lookout keeps to an empty database
  --to DATABASE_URL      of PostgreSQL, without a password: postgres://USER@HOST:PORT/DATABASE, or
                         postgres:///DATABASE?host=/run/postgresql&user=USER
  --to FOLDER            a DATA_DIR, for a SQLite file in it
  --password-file FILE   with the password of --to
${undoCommand.padEnd(toCommand.length)}   lets Lookout start on an old copy again, or on a target that was given up
Set DATA_DIR or DATABASE_URL as for the Lookout to move from, and stop it first. After a failure or a kill, run the same
command again. The source stays as an old copy, on which Lookout refuses to start.
`;
const PROGRESS_EVERY_MS = 1000;
let shown = { atMs: Number.NEGATIVE_INFINITY, width: 0 };

const say = (line: string) => process.stdout.write(`${line}\n`);
function stop(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const { values } = options();
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => stop('\nInterrupted: run the same command again.'));
let from: DatabaseTarget;
try {
  from = configuredDatabase(process.env);
} catch (error) {
  stop(error instanceof Error ? error.message : String(error));
}
if (values.undo) await undo();
else await run(targetOf(values.to ?? stop(usage), values['password-file']));

function options() {
  try {
    return parseArgs({
      options: {
        to: { type: 'string' },
        'password-file': { type: 'string' },
        undo: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    return stop(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
}

function targetOf(text: string, passwordFile: string | undefined): DatabaseTarget {
  const here = process.env.INIT_CWD ?? '.';
  if (!text.includes('://')) {
    if (passwordFile !== undefined) stop('--password-file is for a --to that names PostgreSQL.');
    return { dialect: 'sqlite', file: join(resolve(here, text), DATABASE_FILE) };
  }
  const target = readPostgresTarget(text, passwordFile && resolve(here, passwordFile));
  if (typeof target === 'string') stop(optionNames(`DATABASE_URL ${target}`));
  if (target.password && 'value' in target.password)
    stop(
      '--to has a password, which other users of this machine can read in its list of processes: write it to a file, and add --password-file FILE.',
    );
  return target;
}

async function run(to: DatabaseTarget): Promise<void> {
  say(`Moving ${whereOf(from)} to ${whereOf(to)} …`);
  let moved: Moved;
  try {
    moved = await moveDatabase(from, to, showProgress);
  } catch (error) {
    endProgress();
    stop(`Not moved: ${problemOf(error, to)}`);
  }
  endProgress();
  if (moved.copied === undefined) say('It was moved by an earlier run: nothing was left to do.');
  else {
    const widest = Math.max(...moved.copied.map(({ table }) => table.length));
    say(`\n${'table'.padEnd(widest)}  ${'rows'.padStart(12)}  checksum, the same on both sides`);
    for (const { table, rows, checksum } of moved.copied)
      say(`${table.padEnd(widest)}  ${String(rows).padStart(12)}  ${checksum.slice(0, 16)}`);
    const rows = moved.copied.reduce((sum, each) => sum + each.rows, 0);
    say(`${moved.copied.length} tables and ${rows} rows were moved and compared. Left out:`);
    for (const table of LEFT_TABLES) say(`  ${table}: ${MOVED_TABLES[table].because}`);
  }
  say(`\n${nextSteps(to)}`);
}

function nextSteps(to: DatabaseTarget): string {
  const steps =
    to.dialect === 'postgres'
      ? [
          `Keep the old Lookout stopped: sudo systemctl disable --now lookout`,
          `Write to the settings of every server: DATABASE_URL='${values.to}'${to.password ? `, and DATABASE_PASSWORD_FILE with the file of the password` : ''}. Keep POSITIONS_API_URL and its key: the account's spent requests came along.`,
          `Each server needs a DATA_DIR, a PORT and a SERVER_NAME of its own; deploy/lookout@.service sets them.`,
          `Start the servers: sudo systemctl enable --now lookout@3001 lookout@3002 lookout@3003`,
        ]
      : [
          `Keep the old servers stopped: sudo systemctl disable --now lookout@3001 lookout@3002 lookout@3003`,
          `Remove DATABASE_URL and DATABASE_PASSWORD_FILE from the settings, and set DATA_DIR=${dirname(to.file)}.`,
          `Start Lookout: sudo systemctl enable --now lookout`,
        ];
  return [
    'Next:',
    ...[...steps, ...filesThatStay(to)].map((step, index) => `  ${index + 1}. ${step}`),
    `The old copy, ${whereOf(from)}, is marked as moved, and Lookout refuses to start on it: it would send its alarms and spend its account a second time. Keep it until the new one is backed up, then delete it.`,
  ].join('\n');
}

/** Everything outside the database stays where it is. */
function filesThatStay(to: DatabaseTarget): readonly string[] {
  const dataDir = resolve(process.env.DATA_DIR?.trim() || 'data');
  const newDir = to.dialect === 'sqlite' ? dirname(to.file) : 'DATA_DIR_OF_EACH_SERVER';
  const maps = mapsFolder(dataDir);
  const receivers = join(dataDir, 'receivers');
  return [
    ...(existsSync(maps) && newDir !== dataDir
      ? [`Maps stay in ${maps}. Copy them for each server, as its user: cp -r ${maps} ${newDir}/`]
      : []),
    ...(existsSync(receivers) && newDir !== dataDir
      ? [
          to.dialect === 'postgres'
            ? `Positions of own receivers stay in ${receivers}: several servers read one service that runs apart. Start it with --data ${receivers}, and write its address to POSITIONS_API_URL.`
            : `Positions of own receivers stay in ${receivers}. For the embedded service, copy them while it is stopped: cp -r ${receivers} ${newDir}/`,
        ]
      : []),
  ];
}

async function undo(): Promise<void> {
  try {
    const state = await undoMove(from);
    if (state === undefined) say(`${whereOf(from)} is not marked as moved: nothing was changed.`);
    else if (state === 'filling')
      say(`${whereOf(from)} is empty, and a new Lookout can start on it. The move to it is given up.`);
    else
      say(
        `Lookout can start on ${whereOf(from)} again, as it was before the move. Never start the other copy again: delete that one.`,
      );
  } catch (error) {
    stop(error instanceof Error ? error.message : String(error));
  }
}

/** Words about the target name the options that gave it. */
function problemOf(error: unknown, to: DatabaseTarget): string {
  const message = error instanceof Error ? error.message : String(error);
  const isOfTarget = error instanceof DatabaseFailure && message.includes(whereOf(to));
  const isPassword = to.dialect === 'postgres' && from.dialect === 'sqlite';
  return isOfTarget || isPassword ? optionNames(message) : message;
}

function optionNames(text: string): string {
  return text.replaceAll('DATABASE_PASSWORD_FILE', '--password-file').replaceAll('DATABASE_URL', '--to');
}

/** Prints only on a terminal. */
function showProgress(step: MoveStep): void {
  if (!process.stdout.isTTY || !('table' in step)) return;
  const nowMs = performance.now();
  if (nowMs - shown.atMs < PROGRESS_EVERY_MS) return;
  const line = `${step.kind} ${step.table}: ${step.rows} of ${step.of} rows`;
  process.stdout.write(`\r${line.padEnd(shown.width)}`);
  shown = { atMs: nowMs, width: line.length };
}

function endProgress(): void {
  if (shown.width > 0) process.stdout.write(`\r${' '.repeat(shown.width)}\r`);
}
