import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { COMPACT_LIVE_TYPE, type CompactHead, formatSince } from '#lib/api/compact-answer.ts';
import { splitHead } from '#lib/codec/json-head.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { type Dice, makeDice } from '#lib/random/dice.fixture.ts';
import { viewsAroundPlaces } from '#lib/server/live/plan/viewer-population.fixture.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { RunningServers, Server } from '../../e2e/running/running-servers.ts';
import { quantile, sum } from '../figures.ts';
import { signedIn } from '../signed-in.ts';
import { planMsOf, plannedViews } from './planned-views.ts';
import { withThreeServers } from './three-servers.ts';

const VIEWS = Number(process.env.SERVERS_VIEWS ?? 20_000);
/** A session keeps 32 views. */
const PAGES_OF_SESSION = 32;
const SESSIONS = Math.ceil(VIEWS / PAGES_OF_SESSION);
const OPERATORS = Array.from({ length: Math.ceil(SESSIONS / 8) }, (_, index) => `operator-${index}`);
/** The servers forget a view after a silent minute. */
const POLL_EVERY_MS = 35 * SECOND_MS;
const MOVED = 0.02;
const SETTLE_MS = 2 * POLL_EVERY_MS;
const WATCH_MS = 60 * SECOND_MS;
const SAMPLE_EVERY_MS = 5 * SECOND_MS;
const CONNECTIONS = 50;
const GOAL = { plan_ms: 50, forgotten: 0, failed: 0, statements_a_second: 200 };

interface Page {
  readonly cookie: string;
  readonly name: string;
  readonly pool: Pool;
  bbox: Bbox;
  since: string;
}

export function bench(): Promise<object> {
  const setting = { operators: OPERATORS, countsStatements: true, settings: { LOG_LEVEL: 'silent' } };
  return withThreeServers(setting, async (all) => {
    const dice = makeDice(1);
    const { writer } = await all.writerLease();
    const pages = await openPages(all, writer, dice);
    const tookMs: number[] = [];
    const failed: string[] = [];
    let isOver = false;
    const view = async (page: Page, index: number) => {
      await delay((POLL_EVERY_MS * index) / pages.length);
      for (; !isOver; await delay(POLL_EVERY_MS)) {
        const sentMs = performance.now();
        await poll(page).catch((error) => failed.push(String(error)));
        tookMs.push(performance.now() - sentMs);
        if (dice.chance(MOVED)) page.bbox = aView(dice);
      }
    };
    const traffic = Promise.all(pages.map(view));
    await delay(SETTLE_MS);
    tookMs.length = 0;
    const statements = await statementsOf(all);
    const beganMs = Date.now();
    const samples = [];
    while (Date.now() - beganMs < WATCH_MS) {
      await delay(SAMPLE_EVERY_MS);
      samples.push(await sample(all));
    }
    const seconds = (Date.now() - beganMs) / SECOND_MS;
    const figures = {
      plan_ms: Math.round(Math.max(...samples.map(({ planMs }) => planMs))),
      forgotten: VIEWS - Math.min(...samples.map(({ known }) => known)),
      statements_a_second: Math.round(((await statementsOf(all)) - statements) / seconds),
      polls_a_second: Math.round(tookMs.length / seconds),
      answer_p95_ms: quantile(tookMs, 0.95),
    };
    isOver = true;
    await traffic;
    for (const { pool } of pages) await pool.destroy();
    return {
      what: `${VIEWS} pages as in \`plan\` at the two readers of three servers, each polling every ${POLL_EVERY_MS / SECOND_MS} s, ${100 * MOVED}% of them moving at each poll. Then plans for other numbers of viewers and places, without servers`,
      goal: GOAL,
      reached:
        figures.plan_ms <= GOAL.plan_ms &&
        Math.max(0, figures.forgotten) + failed.length === 0 &&
        figures.statements_a_second <= GOAL.statements_a_second,
      ...figures,
      failed: failed.length,
      plans: plannedViews(),
    };
  });
}

async function openPages({ operators, servers }: RunningServers, writer: Server, dice: Dice): Promise<readonly Page[]> {
  const readers = servers
    .filter((server) => server !== writer)
    .map(({ url }) => ({ url, pool: new Pool(url, { connections: CONNECTIONS }) }));
  const pages: Page[] = [];
  for (let session = 0; session < SESSIONS; session++) {
    const { url, pool } = readers[session % readers.length] as (typeof readers)[number];
    const cookie = await signedIn(url, operators[session % operators.length]);
    for (let page = 0; page < PAGES_OF_SESSION && pages.length < VIEWS; page++)
      pages.push({ cookie, name: `page-${session}-${page}`, pool, bbox: aView(dice), since: '' });
  }
  return pages;
}

const aView = (dice: Dice) => viewsAroundPlaces(1, dice)[0] as Bbox;

async function poll(page: Page): Promise<void> {
  const { name, cookie, since } = page;
  const bbox = formatBbox(page.bbox);
  const query = new URLSearchParams({ bbox, layers: 'adsb', page: name, ...(since !== '' && { since }) });
  const headers = { cookie, accept: COMPACT_LIVE_TYPE };
  const { statusCode, body } = await page.pool.request({ method: 'GET', path: `/api/live?${query}`, headers });
  const bytes = new Uint8Array(await body.arrayBuffer());
  if (statusCode !== 200) throw new Error(`${name}: answered ${statusCode}`);
  const parts = (splitHead(bytes).head as CompactHead).layers.adsb?.parts ?? [];
  page.since = formatSince(new Map(parts.map(({ area, sequence }) => [area, sequence])));
}

async function sample({ database }: RunningServers) {
  const reports = await database.rows<{ cells: string; viewers: string }>('select cells, viewers from server');
  return {
    known: sum(reports.map(({ viewers }) => Number(viewers))),
    planMs: planMsOf(reports.map(({ cells }) => cells)),
  };
}

async function statementsOf({ database }: RunningServers): Promise<number> {
  const [row] = await database.rows<{ calls: string }>('select sum(calls) as calls from pg_stat_statements');
  return Number(row?.calls);
}
