import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { COMPACT_LIVE_TYPE } from '#lib/api/compact-answer.ts';
import type { Role } from '#lib/api/people/permission.ts';
import { openDatabase } from '#lib/server/database/open-database.ts';
import { readPostgresTarget } from '#lib/server/database/postgres-target.ts';
import { DATABASE_FILE } from '#lib/server/database/sqlite-file.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { addOperators } from '../../e2e/running/operators.ts';
import { startApp } from '../../e2e/running/running-app.ts';
import { startDatabase } from '../../e2e/running/running-database.ts';
import { startService } from '../../e2e/running/running-service.ts';
import { built } from '../built.ts';
import { quantile, rounded } from '../figures.ts';
import { signedIn } from '../signed-in.ts';
import { cornered, fill } from './filled-database.ts';

const AT_ONCE = 20;
const ROW_MAX_MS = 5 * SECOND_MS;
const POLLS_AT_ONCE = 4;
const POLL_EVERY_MS = 100;
const GOAL = { healthz_ms: 500, poll_p99_ms: 1000, grown_mb: 200 };
const AMOUNTS = { alarms: 50_000, zones: 200, auditEntries: 50_000, stretches: 20_000, presences: 5000 };
const PEOPLE: Readonly<Record<string, Role>> = { viewer: 'viewer', operator: 'operator', admin: 'admin' };
const DATABASE = process.env.NEIGHBOURS_DATABASE ?? 'sqlite';
const ONLY = process.env.NEIGHBOURS_ONLY;

interface Costly {
  readonly by: string;
  readonly path: string;
  readonly body?: object;
  readonly accept?: string;
}

/** The most expensive legal request of each queue. */
function costly(zone: string): readonly Costly[] {
  const nowMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const text = (ms: number) => new Date(ms).toISOString();
  const span = (days: number) => `start=${text(nowMs - days * DAY_MS)}&end=${text(nowMs)}`;
  const { shape, rules } = { shape: cornered(8, 47, 500_000), rules: everyRule() };
  return [
    { by: 'viewer', path: '/api/alarms/export?format=geojson' },
    { by: 'viewer', path: '/api/alarms?text=nothing%20like%20it' },
    { by: 'viewer', path: '/api/alarms' },
    { by: 'viewer', path: `/api/alarms/presence?${span(30)}` },
    { by: 'viewer', path: `/api/zones/unwatched?${span(30)}` },
    { by: 'viewer', path: `/api/zones/${zone}/watched?${span(30)}` },
    { by: 'viewer', path: '/api/zones' },
    { by: 'viewer', path: `/api/overview/coverage?${span(30)}&layer=adsb` },
    { by: 'viewer', path: `/api/overview/coverage?${span(29)}&layer=adsb&format=csv` },
    { by: 'viewer', path: `/api/overview/hours?${span(30)}&zone=${zone}` },
    { by: 'viewer', path: '/api/live?bbox=-6,33,24,60&layers=rid,adsb' },
    { by: 'viewer', path: '/api/trails?bbox=-6,33,24,60&layers=rid,adsb' },
    { by: 'viewer', path: '/api/export?format=geojson&bbox=-6,33,24,60&layers=rid,adsb&trails=kept' },
    {
      by: 'viewer',
      path: '/api/places?q=a%20b%20c%20d%20e%20f%20g%20h',
    },
    { by: 'operator', path: `/api/history/cost?bbox=0,43,20,50&layers=rid,adsb&${span(1)}` },
    { by: 'operator', path: `/api/history?bbox=3,45,8,50&layers=rid,adsb&${span(1)}` },
    { by: 'operator', path: `/api/export?format=csv&bbox=3,45,8,50&layers=rid,adsb&${span(1)}` },
    {
      by: 'operator',
      path: '/api/zones/try',
      body: { shape, rules, start: text(nowMs - 23 * HOUR_MS), end: text(nowMs), max_requests: 0 },
    },
    { by: 'operator', path: '/api/zones/price', body: { shape, rules, hours: null } },
    { by: 'admin', path: '/api/admin/audit?kind=read_token_made' },
    { by: 'admin', path: '/api/admin/people' },
    { by: 'admin', path: '/api/admin/people/spare/password', body: {} },
  ];
}

function everyRule(): readonly object[] {
  const both = { layers: ['rid', 'adsb'] };
  return [
    ...Array.from({ length: 6 }, (_, hold) => ({ kind: 'entered', ...both, hold_s: hold })),
    { kind: 'closer', ...both, horizontal_m: 50_000, vertical_m: null, field: 'altitude_m' },
  ];
}

export async function bench(): Promise<object> {
  await built();
  const folder = mkdtempSync(join(tmpdir(), 'lookout-neighbours-'));
  const endings: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true })];
  try {
    const postgres = DATABASE === 'postgres' ? startDatabase() : undefined;
    if (postgres) endings.push(() => postgres.remove());
    const at = { DATA_DIR: folder, ...(postgres && { DATABASE_URL: postgres.url }) };
    const accounts = await addOperators(
      at,
      [...Object.entries(PEOPLE), ['neighbour', 'operator'] as const, ['spare', 'viewer'] as const].map(
        ([name, role]) => ({ name, role }),
      ),
    );
    const target = postgres ? readPostgresTarget(postgres.url, undefined) : undefined;
    if (typeof target === 'string') throw new Error(target);
    const database = await openDatabase(target ?? { dialect: 'sqlite', file: join(folder, DATABASE_FILE) });
    const zone = await fill(database, 'operator', AMOUNTS);
    await database.close();
    const service = await startService({ options: ['--tracks', '5000,500'] });
    endings.push(() => service.stop());
    const app = await startApp({ POSITIONS_API_URL: service.baseUrl, POSITIONS_API_KEY: service.apiKey, ...at });
    endings.push(() => app.stop());
    const cookies = new Map<string, string>();
    for (const account of accounts) cookies.set(account.name, await signedIn(app.url, account));
    const cookieOf = (name: string) => ({ cookie: cookies.get(name) ?? '' });
    // Trails and frames fill.
    await measured(app, cookieOf, undefined, 5 * SECOND_MS);
    const alone = await measured(app, cookieOf, undefined, 5 * SECOND_MS);
    process.stderr.write(`${line(alone)}\n`);
    const rows: Row[] = [];
    for (const each of costly(zone)) {
      if (ONLY !== undefined && !each.path.includes(ONLY)) continue;
      const row = await measured(app, cookieOf, each, ROW_MAX_MS);
      process.stderr.write(`${line(row)}\n`);
      rows.push(row);
    }
    const worst = (of: (row: Row) => number) => Math.max(...rows.map(of));
    return {
      what: `${AT_ONCE} at once of each queue’s most expensive request, by one person, for up to ${ROW_MAX_MS / SECOND_MS} s. ${DATABASE} has ${AMOUNTS.alarms} alarms, ${AMOUNTS.zones} zones of 500 corners and 30 tallied days. Meanwhile ${POLLS_AT_ONCE} pages of another operator poll ${SECOND_MS / POLL_EVERY_MS} times a second`,
      goal: GOAL,
      reached:
        worst(({ healthzMs }) => healthzMs) <= GOAL.healthz_ms &&
        worst(({ pollP99Ms }) => pollP99Ms) <= GOAL.poll_p99_ms &&
        worst(({ grownMb }) => grownMb) <= GOAL.grown_mb,
      healthz_ms: worst(({ healthzMs }) => healthzMs),
      poll_p99_ms: worst(({ pollP99Ms }) => pollP99Ms),
      grown_mb: worst(({ grownMb }) => grownMb),
      alone,
      rows,
    };
  } finally {
    for (const end of endings.reverse()) await end();
  }
}

interface Row {
  readonly request: string;
  readonly healthzMs: number;
  readonly pollP99Ms: number;
  readonly grownMb: number;
  readonly megabytes: number;
  /** Answers by status; `left` of those that were ended after the row. */
  readonly statuses: Readonly<Record<string, number>>;
}

function line({ request: what, healthzMs, pollP99Ms, grownMb, megabytes, statuses }: Row): string {
  const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  return `| ${[what, healthzMs, pollP99Ms, grownMb, megabytes, answers.join(', ')].join(' | ')} |`;
}

type CookieOf = (name: string) => { readonly cookie: string };

/** @param each none: only the neighbours */
async function measured(
  app: { readonly url: string; readonly pid: number },
  cookieOf: CookieOf,
  each: Costly | undefined,
  maxMs: number,
): Promise<Row> {
  const ended = new AbortController();
  const dispatcher = new Agent({ connections: 2 * AT_ONCE, headersTimeout: 0, bodyTimeout: 0 });
  const [healthz, polls]: [number[], number[]] = [[], []];
  const beforeMb = residentMb(app.pid);
  let mostMb = beforeMb;
  const repeat = async (everyMs: number, run: () => Promise<void> | void) => {
    for (; !ended.signal.aborted; await delay(everyMs)) await run();
  };
  const timed = async (into: number[], path: string, headers: Record<string, string>) => {
    const sentMs = performance.now();
    const { body, statusCode } = await request(`${app.url}${path}`, { headers, dispatcher });
    await body.dump();
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
    into.push(performance.now() - sentMs);
  };
  const poll = (page: number) => `/api/live?bbox=6,46,10,48&layers=adsb&page=neighbour-${page}`;
  const watching = [
    repeat(POLL_EVERY_MS, () => timed(healthz, '/healthz', {})),
    repeat(POLL_EVERY_MS, () => {
      mostMb = Math.max(mostMb, residentMb(app.pid));
    }),
    ...Array.from({ length: POLLS_AT_ONCE }, (_, page) =>
      repeat(POLL_EVERY_MS, () => timed(polls, poll(page), { ...cookieOf('neighbour'), accept: COMPACT_LIVE_TYPE })),
    ),
  ];
  const statuses: Record<string, number> = {};
  let bytes = 0;
  const stop = AbortSignal.timeout(maxMs);
  const one = async (of: Costly) => {
    let status = 'left';
    try {
      const answer = await request(`${app.url}${of.path}`, {
        method: of.body ? 'POST' : 'GET',
        headers: { ...cookieOf(of.by), origin: app.url, 'content-type': 'application/json' },
        body: of.body ? JSON.stringify(of.body) : null,
        signal: stop,
        dispatcher,
      });
      for await (const chunk of answer.body) bytes += chunk.length;
      status = String(answer.statusCode);
    } catch (error) {
      if (!stop.aborted) throw error;
    }
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  if (each) await Promise.all([...Array.from({ length: AT_ONCE }, () => one(each)), delay(SECOND_MS)]);
  else await delay(maxMs);
  ended.abort();
  await Promise.all(watching);
  await dispatcher.close();
  return {
    request: each ? `${each.by}: ${each.body ? 'POST' : 'GET'} ${each.path.slice(0, 60)}` : 'none',
    healthzMs: quantile(healthz, 1),
    pollP99Ms: quantile(polls, 0.99),
    grownMb: rounded(mostMb - beforeMb, 0),
    megabytes: rounded(bytes / 1e6, 1),
    statuses,
  };
}

function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000;
}
