import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '#lib/server/http/free-port.fixture.ts';
import { type RedisProcess, startRedisProcess } from '#lib/server/redis/redis-process.fixture.ts';
import { type Cluster, postgresPrograms, startCluster } from '#service/postgres/postgres-cluster.fixture.ts';
import { installedNginx } from '../../scripts/setup/debian-packages.ts';
import { addOperators, type StoredOperator } from './operators.ts';
import { type RunningApp, startApp } from './running-app.ts';
import { type RunningService, type ServiceSetting, startService } from './running-service.ts';

const START_MS = 10_000;

export interface FleetSetting {
  readonly replicas: number;
  /** Where nginx answers; default: a free port. */
  readonly port?: number;
  readonly service?: ServiceSetting;
  /** Names of operators; without any, no sign-in is needed. */
  readonly operators?: readonly string[];
  /** Settings of all replicas, which override the usual ones. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether the store has two replicas, and three Sentinels that watch it. */
  readonly sentinels?: boolean;
}

/** One server of the fleet. */
export interface Replica {
  readonly name: string;
  readonly app: RunningApp;
}

/** Several replicas of the app behind nginx, with one PostgreSQL, one Redis and one upstream. */
export interface RunningFleet {
  /** Of nginx, without a trailing slash. */
  readonly url: string;
  readonly service: RunningService;
  /** Stopped at once, connections break. */
  readonly database: Pick<Cluster, 'start' | 'stop'>;
  /** The primary at the start. */
  readonly store: RedisProcess;
  /** Whether one of its two replicas has taken its place. */
  hasOtherPrimary(): boolean;
  readonly operators: readonly StoredOperator[];
  /** Those that nginx passes requests to. */
  readonly replicas: readonly Replica[];
  /** Resolves when nginx passes requests to it. */
  add(settings?: Readonly<Record<string, string>>): Promise<Replica>;
  /** Takes it out of nginx's list, and then stops it as a new version would. */
  drain(replica: Replica): Promise<void>;
  /** As a crash would; nginx still passes requests to it, until `forget`. */
  kill(replica: Replica): Promise<void>;
  /** Takes it out of nginx's list. */
  forget(replica: Replica): Promise<void>;
  stop(): Promise<void>;
}

/** @throws Error where nginx, PostgreSQL or redis-server is missing, or one of them does not start */
export async function startFleet(setting: FleetSetting): Promise<RunningFleet> {
  const nginx = installedNginx();
  if (nginx === undefined) throw new Error('nginx is not installed: apt-get install nginx');
  const folder = mkdtempSync(join(tmpdir(), 'lookout-fleet-'));
  const endings: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true })];
  const stop = async () => {
    for (const end of endings.reverse().splice(0)) await end();
  };
  try {
    const programs = postgresPrograms();
    if (programs === undefined) throw new Error('PostgreSQL 15 is not installed: apt-get install postgresql');
    const cluster = startCluster(programs);
    endings.push(cluster.remove);
    const { host, database } = cluster.target();
    const store = await startRedisProcess();
    endings.push(store.remove);
    const watched = setting.sentinels ? await startSentinels(store) : undefined;
    if (watched) endings.push(watched.remove);
    const service = await startService(setting.service);
    endings.push(() => service.stop());
    const at = {
      DATA_DIR: folder,
      DATABASE_URL: `postgres:///${database}?host=${encodeURIComponent(host)}&user=admin`,
    };
    const operators = await addOperators(
      at,
      (setting.operators ?? []).map((name) => ({ name, role: 'operator' as const })),
    );
    const common = {
      POSITIONS_API_URL: service.baseUrl,
      POSITIONS_API_KEY: service.apiKey,
      ...(watched?.settings ?? { REDIS_URL: `redis://127.0.0.1:${store.port}` }),
      DATABASE_URL: at.DATABASE_URL,
      TRUSTED_PROXIES: 'loopback',
      DRAIN_SECONDS: '1',
      ...(operators.length === 0 && { POSITIONS_EMBEDDED: '1' }),
    };
    let made = 0;
    const apps: RunningApp[] = [];
    endings.push(async () => void (await Promise.all(apps.map((app) => app.stop()))));
    let replicas: readonly Replica[] = [];
    const start = async (settings: Readonly<Record<string, string>> = {}): Promise<Replica> => {
      const name = `replica-${++made}`;
      const dataDir = join(folder, name);
      mkdirSync(dataDir);
      const app = await startApp({
        ...common,
        DATA_DIR: dataDir,
        REPLICA_NAME: name,
        ...setting.settings,
        ...settings,
      });
      const replica = { name, app };
      apps.push(app);
      await ready(`${app.url}/readyz`);
      return replica;
    };
    replicas = await Promise.all(Array.from({ length: setting.replicas }, () => start()));
    const front = new Nginx(nginx, folder, setting.port ?? (await freePort()));
    await front.start(replicas);
    endings.push(() => front.stop());
    const list = async (next: readonly Replica[]) => {
      replicas = next;
      await front.reload(replicas);
    };
    const forget = (replica: Replica) => list(replicas.filter((each) => each !== replica));
    return {
      url: front.url,
      service,
      database: cluster,
      store,
      hasOtherPrimary: () => watched?.hasOtherPrimary() ?? false,
      operators,
      get replicas() {
        return replicas;
      },
      async add(settings) {
        const replica = await start(settings);
        await list([...replicas, replica]);
        return replica;
      },
      async drain(replica) {
        await forget(replica);
        await replica.app.stop();
      },
      kill: ({ app }) => app.kill(),
      forget,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const GROUP = 'lookout';
const QUORUM = 2;

interface WatchedStore {
  readonly settings: Readonly<Record<string, string>>;
  hasOtherPrimary(): boolean;
  remove(): Promise<void>;
}

/** Two replicas of the store, and Sentinels that put one of them in its place after three seconds without an answer. */
async function startSentinels(store: RedisProcess): Promise<WatchedStore> {
  const replicas = await Promise.all([1, 2].map(() => startRedisProcess([`replicaof 127.0.0.1 ${store.port}`])));
  const watch = [
    `sentinel monitor ${GROUP} 127.0.0.1 ${store.port} ${QUORUM}`,
    `sentinel down-after-milliseconds ${GROUP} 3000`,
    `sentinel failover-timeout ${GROUP} 10000`,
  ];
  const isCopy = (each: RedisProcess) => each.command('INFO', 'replication').includes('master_link_status:up');
  while (!replicas.every(isCopy)) await delay(20);
  const sentinels = await Promise.all([1, 2, 3].map(() => startRedisProcess(watch, 'sentinel')));
  const knowEachOther = () => sentinels.every((each) => each.command('SENTINEL', 'CKQUORUM', GROUP).startsWith('OK 3'));
  while (!knowEachOther()) await delay(100);
  return {
    settings: {
      REDIS_URL: `redis://${GROUP}`,
      REDIS_SENTINELS: sentinels.map(({ port }) => `127.0.0.1:${port}`).join(','),
    },
    hasOtherPrimary: () => replicas.some((each) => each.command('ROLE').startsWith('master')),
    async remove() {
      await Promise.all([...sentinels, ...replicas].map((each) => each.remove()));
    },
  };
}

/** In front of the replicas: it asks one after the other, and none again. */
class Nginx {
  readonly url: string;
  readonly #program: string;
  readonly #folder: string;
  readonly #port: number;
  #child: ChildProcess | undefined;

  constructor(program: string, folder: string, port: number) {
    this.#program = program;
    this.#folder = folder;
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  async start(replicas: readonly Replica[]): Promise<void> {
    this.#write(replicas);
    const child = spawn(
      this.#program,
      ['-c', join(this.#folder, 'nginx.conf'), '-e', join(this.#folder, 'nginx.log')],
      {
        stdio: 'ignore',
      },
    );
    this.#child = child;
    process.once('exit', () => child.kill('SIGKILL'));
    await ready(`${this.url}/healthz`);
  }

  async reload(replicas: readonly Replica[]): Promise<void> {
    this.#write(replicas);
    const before = this.#workers().map(({ pid }) => pid);
    this.#child?.kill('SIGHUP');
    // Those from before answer what they have accepted, from the old list.
    while (this.#workers().some(({ pid, isEnding }) => before.includes(pid) && !isEnding)) await delay(10);
  }

  #workers(): readonly { readonly pid: number; readonly isEnding: boolean }[] {
    const pid = this.#child?.pid;
    const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    return pids.map((text) => ({ pid: Number(text), isEnding: !isWorking(text) }));
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }

  #write(replicas: readonly Replica[]): void {
    const folder = this.#folder;
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (of) => `${of}_temp_path ${folder}/${of};`,
    );
    const servers = replicas.map(({ app }) => `server ${new URL(app.url).host} max_fails=0;`);
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${folder}/nginx.pid; worker_processes 1; events { worker_connections 4096; }
http {
  access_log off;
  ${temporary.join('\n  ')}
  upstream lookout {
    ${servers.join('\n    ')}
    keepalive 64;
  }
  server {
    listen 127.0.0.1:${this.#port};
    location / {
      proxy_pass http://lookout;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_next_upstream off;
      proxy_buffering off;
      proxy_read_timeout 1h;
    }
  }
}
`,
    );
  }
}

/** An nginx worker that ends says so in its name. */
function isWorking(pid: string): boolean {
  try {
    return !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('shutting down');
  } catch {
    return false;
  }
}

async function ready(url: string): Promise<void> {
  const untilMs = Date.now() + START_MS;
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    if (Date.now() > untilMs) throw new Error(`${url} is not ready after ${START_MS} ms: ${await answer?.text()}`);
    await delay(20);
  }
}
