import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { COMPACT_LIVE_TYPE, type CompactHead, formatSince } from '#lib/api/compact-answer.ts';
import { statusAnswerSchema } from '#lib/api/status-answer.ts';
import { splitHead } from '#lib/codec/json-head.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import { type Dice, makeDice } from '#lib/random/seeded-random.ts';
import { isCovered } from '#lib/server/live/plan/is-covered.ts';
import { viewsAroundPlaces } from '#lib/server/live/plan/viewer-population.fixture.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { type RunningServers, type Server, startServers } from '../e2e/running/running-servers.ts';
import { built } from './built.ts';
import { planMsOf, plannedViews } from './planned-views.ts';
import { signedIn } from './signed-in.ts';

const SERVERS = 3;
const VIEWS = Number(process.env.SERVERS_VIEWS ?? 20_000);
/** A session keeps 32 views. */
const PAGES_OF_SESSION = 32;
const SESSIONS_OF_OPERATOR = 8;
/** Shorter than the minute after which a silent view is forgotten; pages poll much more often. */
const POLL_EVERY_MS = 35 * SECOND_MS;
/** Of the pages, at each poll. */
const MOVED = 0.02;
const SETTLE_MS = 2 * POLL_EVERY_MS;
const WATCH_MS = 60 * SECOND_MS;
const SAMPLE_EVERY_MS = 5 * SECOND_MS;
const CONNECTIONS = 50;
const GOAL = { plan_ms: 50, forgotten: 0, statements_a_second: 200 };

interface Page {
  readonly cookie: string;
  readonly name: string;
  readonly reader: Server;
  bbox: Bbox;
  since: string;
}

/** Many views over the two readers of three servers. */
export async function serversViews(): Promise<object> {
  await built();
  const dice = makeDice(1);
  const sessions = Math.ceil(VIEWS / PAGES_OF_SESSION);
  const all = await startServers({
    servers: SERVERS,
    operators: Array.from({ length: Math.ceil(sessions / SESSIONS_OF_OPERATOR) }, (_, index) => `operator-${index}`),
    countsStatements: true,
    settings: { LOG_LEVEL: 'silent' },
  });
  const pools = new Map(all.servers.map(({ url }) => [url, new Pool(url, { connections: CONNECTIONS })]));
  let endsMs = Number.MAX_SAFE_INTEGER;
  let failed = 0;
  const tookMs: number[] = [];
  try {
    const { writer } = await all.turn();
    const readers = all.servers.filter((server) => server !== writer);
    const pages = await openPages(all, readers, sessions, dice);
    const poll = async (page: Page) => {
      const began = performance.now();
      try {
        await answered(pools.get(page.reader.url) as Pool, page);
        tookMs.push(performance.now() - began);
      } catch (error) {
        failed++;
        process.stderr.write(`${page.name}: ${error}\n`);
      }
    };
    const view = async (page: Page, index: number) => {
      await delay((POLL_EVERY_MS * index) / pages.length);
      while (Date.now() < endsMs) {
        await poll(page);
        await delay(Math.min(POLL_EVERY_MS, Math.max(0, endsMs - Date.now())));
        if (dice.between(0, 1) < MOVED) page.bbox = aView(dice);
      }
    };
    const traffic = Promise.all(pages.map(view));
    await delay(SETTLE_MS);
    tookMs.length = 0;
    const statements = await statementsOf(all);
    const beganMs = Date.now();
    const samples: Sample[] = [];
    while (Date.now() - beganMs < WATCH_MS) {
      await delay(SAMPLE_EVERY_MS);
      samples.push(await sampled(all, writer, pages));
    }
    const perSecond = ((await statementsOf(all)) - statements) / ((Date.now() - beganMs) / SECOND_MS);
    endsMs = Date.now();
    await traffic;
    const forgotten = pages.length - Math.min(...samples.map(({ known }) => known));
    const uncovered = Math.max(...samples.map((sample) => sample.uncovered));
    const planMs = Math.max(...samples.map((sample) => sample.planMs));
    const late = tookMs.toSorted((a, b) => a - b);
    return {
      what: `${VIEWS} pages as in \`plan\` over the two readers of ${SERVERS} servers on one PostgreSQL, each polling every ${POLL_EVERY_MS / SECOND_MS} s, of whom ${100 * MOVED}% move at each poll; the plan is made from what the readers have reported; then other numbers of viewers and places without servers`,
      goal: GOAL,
      reached: planMs <= GOAL.plan_ms && forgotten <= 0 && failed === 0 && perSecond <= GOAL.statements_a_second,
      plan_ms: Math.round(planMs),
      forgotten,
      uncovered,
      statements_a_second: Math.round(perSecond),
      statements: await mostCalled(all),
      failed,
      polls_a_second: Math.round(late.length / (WATCH_MS / SECOND_MS)),
      answer_p95_ms: Math.round(late[Math.floor(late.length * 0.95)] ?? 0),
      areas: samples.at(-1)?.areas,
      cells: samples.at(-1)?.cells,
      report_kb: samples.at(-1)?.reportKb,
      plans: plannedViews(),
    };
  } finally {
    endsMs = 0;
    for (const pool of pools.values()) await pool.destroy();
    await all.stop();
  }
}

async function openPages(
  { operators }: RunningServers,
  readers: readonly Server[],
  sessions: number,
  dice: Dice,
): Promise<readonly Page[]> {
  const pages: Page[] = [];
  for (let session = 0; session < sessions; session++) {
    const reader = readers[session % readers.length] as Server;
    const operator = operators[session % operators.length] as (typeof operators)[number];
    const cookie = await signedIn(reader.url, operator);
    for (let page = 0; page < PAGES_OF_SESSION && pages.length < VIEWS; page++)
      pages.push({ cookie, name: `page-${session}-${page}`, reader, bbox: aView(dice), since: '' });
  }
  return pages;
}

/** On one side of 180°. */
function aView(dice: Dice): Bbox {
  const [view] = viewsAroundPlaces(1, dice);
  if (view === undefined) throw new Error('no view');
  return view;
}

/** @throws Error if the answer is not 200 */
async function answered(pool: Pool, page: Page): Promise<void> {
  const { west, south, east, north } = page.bbox;
  const query = new URLSearchParams({
    bbox: [west, south, east, north].join(','),
    layers: 'adsb',
    page: page.name,
    ...(page.since !== '' && { since: page.since }),
  });
  const { statusCode, body } = await pool.request({
    method: 'GET',
    path: `/api/live?${query}`,
    headers: { cookie: page.cookie, accept: COMPACT_LIVE_TYPE },
  });
  const bytes = new Uint8Array(await body.arrayBuffer());
  if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
  const parts = (splitHead(bytes).head as CompactHead).layers.adsb?.parts ?? [];
  page.since = formatSince(new Map(parts.map(({ area, sequence }) => [area, sequence])));
}

interface Sample {
  /** Views that the servers say they have. */
  readonly known: number;
  /** Views that no planned area covers. */
  readonly uncovered: number;
  readonly areas: number;
  readonly cells: number;
  readonly reportKb: number;
  readonly planMs: number;
}

async function sampled({ database }: RunningServers, writer: Server, pages: readonly Page[]): Promise<Sample> {
  const cookie = pages[0]?.cookie ?? '';
  const status = statusAnswerSchema.parse(
    await (await fetch(`${writer.url}/api/status`, { headers: { cookie } })).json(),
  );
  const areas = status.areas.filter(({ layer }) => layer === 'adsb').map(({ bbox }) => boxFromCorners(bbox));
  const reports = await database.rows<{ cells: string; viewers: string }>('select cells, viewers from server');
  return {
    known: reports.reduce((sum, { viewers }) => sum + Number(viewers), 0),
    uncovered: pages.filter(({ bbox }) => !isCovered(bbox, areas)).length,
    areas: areas.length,
    cells: reports.reduce((sum, { cells }) => sum + (JSON.parse(cells) as unknown[]).length, 0),
    reportKb: Math.round(Math.max(...reports.map(({ cells }) => cells.length)) / 1000),
    planMs: planMsOf(reports.map(({ cells }) => cells)),
  };
}

/** Those of this bench are a few. */
async function statementsOf({ database }: RunningServers): Promise<number> {
  const [row] = await database.rows<{ calls: string }>('select sum(calls) as calls from pg_stat_statements');
  return Number(row?.calls);
}

async function mostCalled({ database }: RunningServers): Promise<Readonly<Record<string, number>>> {
  const rows = await database.rows<{ query: string; calls: string }>(
    'select left(query, 60) as query, calls from pg_stat_statements order by calls desc limit 8',
  );
  return Object.fromEntries(rows.map(({ query, calls }) => [query.replaceAll(/\s+/g, ' '), Number(calls)]));
}
