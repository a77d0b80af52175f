import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '#testing/free-port.ts';
import { postgresPrograms } from '#testing/postgres-cluster.ts';
import { installedNginx } from '../../scripts/setup/debian-packages.ts';
import { addOperators, type StoredOperator } from './operators.ts';
import { type RunningApp, startApp } from './running-app.ts';
import { type RunningDatabase, startDatabase } from './running-database.ts';
import { startNginx } from './running-nginx.ts';
import { type RunningService, type ServiceSetting, startService } from './running-service.ts';

const START_MS = 20_000;

export function canStartServers(): boolean {
  return installedNginx() !== undefined && postgresPrograms() !== undefined;
}

export interface ServersSetting {
  readonly servers: number;
  /** Of nginx; default: a free port. */
  readonly port?: number;
  readonly service?: ServiceSetting;
  readonly operators?: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
  readonly hasStandby?: boolean;
  readonly countsStatements?: boolean;
  /** nginx has TLS for `localhost`, and the servers know. */
  readonly tls?: boolean;
}

/** Keeps its port, name and DATA_DIR when it is replaced. */
export interface Server {
  readonly name: string;
  readonly url: string;
  /** The process that runs, or ran last. */
  readonly app: RunningApp;
}

export interface WriterLease {
  readonly fence: number;
  readonly writer: Server;
}

export interface RunningServers {
  readonly url: string;
  /** With TLS: without it, and the certificate. */
  readonly plainUrl: string | undefined;
  readonly ca: string | undefined;
  readonly service: RunningService;
  readonly database: RunningDatabase;
  readonly operators: readonly StoredOperator[];
  readonly servers: readonly Server[];
  /** @throws Error while no server has the lease, and while PostgreSQL is lost */
  writerLease(): Promise<WriterLease>;
  stopServer(server: Server): Promise<void>;
  kill(server: Server): Promise<void>;
  /** After it ended; resolves when it is ready. */
  start(server: Server, settings?: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
}

/** @throws Error where nginx or PostgreSQL is missing or does not start */
export async function startServers(setting: ServersSetting): Promise<RunningServers> {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-servers-'));
  const endings: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true })];
  const stop = async () => {
    for (const end of endings.reverse().splice(0)) await end();
  };
  try {
    const database = startDatabase(setting);
    endings.push(() => database.remove());
    const service = await startService(setting.service);
    endings.push(() => service.stop());
    const at = { DATA_DIR: folder, DATABASE_URL: database.url };
    const names = setting.operators ?? ['alice'];
    const operators = await addOperators(
      at,
      names.map((name) => ({ name, role: 'operator' as const })),
    );
    const port = setting.port ?? (await freePort());
    const plainPort = setting.tls === true ? await freePort() : undefined;
    const url = plainPort === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
    const startOne = async (name: string, itsPort: number, settings: Readonly<Record<string, string>> = {}) => {
      const app = await startApp({
        POSITIONS_API_URL: service.baseUrl,
        POSITIONS_API_KEY: service.apiKey,
        DATABASE_URL: database.url,
        DATA_DIR: join(folder, name),
        SERVER_NAME: name,
        PORT: String(itsPort),
        TRUSTED_PROXIES: '127.0.0.1',
        ...(plainPort !== undefined && { PUBLIC_URL: url }),
        DRAIN_SECONDS: '1',
        ...setting.settings,
        ...settings,
      });
      await isReady(`${app.url}/readyz`);
      return app;
    };
    const servers: (Server & { app: RunningApp; readonly port: number })[] = [];
    endings.push(async () => void (await Promise.all(servers.map(({ app }) => app.stop()))));
    const start = async (index: number) => {
      const name = `server-${index + 1}`;
      mkdirSync(join(folder, name));
      const port = await freePort();
      const app = await startOne(name, port);
      servers.push({ name, url: app.url, app, port });
    };
    await Promise.all(Array.from({ length: setting.servers }, (_, index) => start(index)));
    servers.sort((a, b) => (a.name < b.name ? -1 : 1));
    const ports = servers.map(({ port }) => port);
    const front = await startNginx(folder, { port, plainPort }, ports);
    endings.push(() => front.stop());
    return {
      url,
      plainUrl: plainPort === undefined ? undefined : `http://127.0.0.1:${plainPort}`,
      ca: front.ca,
      service,
      database,
      operators,
      servers,
      async writerLease() {
        const [row] = await database.rows<{ fence: string; holder: string }>('select fence, holder from writer');
        const writer = servers.find(({ name }) => name === row?.holder);
        if (row === undefined || writer === undefined) throw new Error(`the writer is ${JSON.stringify(row)}`);
        return { fence: Number(row.fence), writer };
      },
      stopServer: ({ app }) => app.stop(),
      kill: ({ app }) => app.kill(),
      async start(server, settings) {
        const started = servers.find((each) => each === server);
        if (started === undefined) throw new Error(`${server.name} is none of these servers`);
        started.app = await startOne(started.name, started.port, settings);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function isReady(url: string): Promise<void> {
  const untilMs = Date.now() + START_MS;
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    if (Date.now() > untilMs) throw new Error(`${url} is not ready after ${START_MS} ms: ${await answer?.text()}`);
    await delay(20);
  }
}
