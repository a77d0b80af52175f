import { execFileSync, type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterProcess } from '#lib/server/database/after-process.fixture.ts';
import { newMemoryFolder } from '#lib/server/database/memory-folder.fixture.ts';
import type { PostgresTarget } from '#lib/server/database/postgres-target.ts';
import { countStart, noteCost } from '../scripts/test/costs.ts';
import { processorSeconds } from '../scripts/test/processor-time.ts';

const VERSIONS = '/usr/lib/postgresql';
const CACHE = fileURLToPath(new URL('../node_modules/.cache', import.meta.url));

/** Debian's newest usable version. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).map(Number) : [];
  const version = Math.max(0, ...versions.filter((each) => each >= 15));
  const programs = join(VERSIONS, String(version), 'bin');
  if (existsSync(join(programs, 'initdb'))) return programs;
  process.stderr.write('PostgreSQL 15 is missing: its tests are skipped. apt-get install postgresql\n');
  return undefined;
}

/** Where several tests may use databases. */
export interface SharedCluster {
  readonly folder: string;
  /** The superuser's; default: an empty one. */
  target(database?: string): PostgresTarget;
  sql(text: string, database?: string): string;
}

export interface Cluster extends SharedCluster {
  /** Before the other rules of pg_hba.conf. */
  allow(rule: string): void;
  start(): void;
  /** As a crash: connections break, and unlogged tables become empty. */
  stop(): void;
  /** Every commit waits for it from now on. */
  addStandby(): Standby;
  remove(): void;
}

interface Standby extends Cluster {
  promote(): void;
}

/** On a Unix socket, trusts every role name, does not sync. It ends with this process, however that ends. */
export function startCluster(programs: string, settings: Readonly<Record<string, string>> = {}): Cluster {
  const folder = newFolder();
  copyAll(emptyCluster(programs), join(folder, 'data'));
  configure(folder, {
    listen_addresses: "''",
    unix_socket_directories: `'${folder}'`,
    fsync: 'off',
    full_page_writes: 'off',
    shared_buffers: '16MB',
    jit: 'off',
    ...settings,
  });
  return startIn(programs, folder);
}

function newFolder(): string {
  const folder = newMemoryFolder('lookout-pg-');
  giveToServer(folder);
  return folder;
}

function configure(folder: string, settings: Readonly<Record<string, string>>): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  appendFileSync(join(folder, 'data/postgresql.conf'), lines.join(''));
}

function startIn(programs: string, folder: string): Standby {
  const [data, log] = [join(folder, 'data'), join(folder, 'log')];
  const control = (...args: readonly string[]) =>
    runAsServer(join(programs, 'pg_ctl'), [...args, '-w', '-D', data], log);
  const start = () => countStart('database', () => control('start', '-l', log));
  const stop = () => {
    const [pid = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
    noteCost({ kind: 'database', processorSeconds: processorSeconds(Number(pid)) });
    control('stop', '-m', 'immediate');
  };
  start();
  const endWatch = endWithProcess(folder);
  let isUp = true;
  const shared = clusterIn(programs, folder);
  const { sql } = shared;
  return {
    ...shared,
    allow(rule) {
      const file = join(data, 'pg_hba.conf');
      writeFileSync(file, `${rule}\n${readFileSync(file, 'utf8')}`);
      sql('select pg_reload_conf()');
    },
    start() {
      start();
      isUp = true;
    },
    stop() {
      stop();
      isUp = false;
    },
    addStandby() {
      const copy = newFolder();
      const from = ['-h', folder, '-U', 'admin', '-D', join(copy, 'data')];
      runAsServer(join(programs, 'pg_basebackup'), [...from, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']);
      configure(copy, { unix_socket_directories: `'${copy}'`, wal_retrieve_retry_interval: '200ms' });
      const standby = startIn(programs, copy);
      sql("alter system set synchronous_standby_names = '*'");
      sql('select pg_reload_conf()');
      sql('create table standby_check ()');
      sql('drop table standby_check');
      return standby;
    },
    promote: () => control('promote'),
    remove() {
      if (isUp) stop();
      rmSync(folder, { recursive: true });
      endWatch();
    },
  };
}

/** Workers of one run may have the same process id, one after the other. */
export function newDatabaseName(kind: string): string {
  return `${kind}_${randomUUID().replaceAll('-', '_')}`;
}

/** One that runs already, of this process or another one. */
export function clusterIn(programs: string, folder: string): SharedCluster {
  const sql = (text: string, database = 'postgres') =>
    execFileSync(
      join(programs, 'psql'),
      ['-h', folder, '-U', 'admin', '-d', database, '-qAtX', '-v', 'ON_ERROR_STOP=1', '-c', text],
      { encoding: 'utf8' },
    ).trim();
  return {
    folder,
    target(database) {
      let name = database;
      if (name === undefined) {
        name = newDatabaseName('test');
        sql(`create database ${name}`);
      }
      return {
        dialect: 'postgres',
        host: folder,
        port: 5432,
        database: name,
        user: 'admin',
        password: undefined,
        tls: false,
        rootCertFile: undefined,
      };
    },
    sql,
  };
}

/** @returns ends the watch, once the folder is gone */
function endWithProcess(folder: string): () => void {
  const script = `server=$(head -n 1 "$0/data/postmaster.pid") && kill -QUIT "$server"
    while kill -0 "$server"; do sleep 0.1; done
    rm -rf "$0"`;
  return afterProcess(script, [folder], serverIdentity());
}

/**
 * Copying one that never ran takes a ninth of the time.
 * @returns its folder
 */
function emptyCluster(programs: string): string {
  const kept = join(CACHE, `postgres-${basename(dirname(programs))}`);
  if (existsSync(kept)) return kept;
  const folder = newFolder();
  const data = join(folder, 'data');
  const initdb = join(programs, 'initdb');
  runAsServer(initdb, ['-D', data, '-U', 'admin', '--no-sync', '-A', 'trust', '-E', 'UTF8', '--locale=C']);
  mkdirSync(CACHE, { recursive: true });
  const made = `${kept}-${process.pid}`;
  copyAll(data, made);
  rmSync(folder, { recursive: true });
  try {
    renameSync(made, kept);
  } catch (error) {
    // Another process was faster, and its result is whole.
    rmSync(made, { recursive: true });
    if (!existsSync(kept)) throw error;
  }
  return kept;
}

/** With owners and modes. */
function copyAll(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}

function giveToServer(folder: string): void {
  const { uid, gid } = serverIdentity();
  if (uid !== undefined) chownSync(folder, uid, gid as number);
}

function runAsServer(program: string, args: readonly string[], log = ''): void {
  const options: SpawnSyncOptions = {
    ...serverIdentity(),
    cwd: tmpdir(),
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  };
  const { status, stderr } = spawnSync(program, args, options);
  if (status !== 0) throw new Error(`${program}: ${stderr}${existsSync(log) ? readFileSync(log, 'utf8') : ''}`);
}

/** PostgreSQL refuses to run as root. */
export function serverIdentity(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [, , uid, gid] = /^postgres:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0].split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}
