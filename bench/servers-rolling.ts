import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { type PlannedArea, statusAnswerSchema } from '#lib/api/status-answer.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { type RunningServers, type Server, startServers } from '../e2e/running/running-servers.ts';
import { built } from './built.ts';
import { panningViewer, type Tally } from './panning-viewer.ts';
import { signedIn } from './signed-in.ts';

const SERVERS = 3;
const OPERATORS = 10;
const PAGES_OF_OPERATOR = 20;
const LOADS = 2;
/** Long enough for a load to be under way whenever a server leaves. */
const LOADED_MS = 30 * MINUTE_MS;
const SETTLE_MS = 30 * SECOND_MS;
const BETWEEN_MS = 5 * SECOND_MS;
const SAMPLE_EVERY_MS = 250;
const INTERVALS_MAX = 2;
const NEVER = Number.MAX_SAFE_INTEGER;

/** How old areas became before they were read again. */
interface Ages {
  samples: number;
  /** In intervals of the area. */
  intervals: number;
  ms: number;
}

/** Every server is replaced, one after the other, while operators look at the map and load the past. */
export async function serversRolling(): Promise<object> {
  await built();
  const all = await startServers({
    servers: SERVERS,
    operators: Array.from({ length: OPERATORS }, (_, index) => `bench-${index}`),
    service: { options: ['--allowance', '600,400000'] },
    settings: { LOG_LEVEL: 'silent' },
  });
  const pool = new Pool(all.url);
  const seen: Tally = { answers: 0, errors: 0, empty: 0, bytes: 0, tookMs: [] };
  const failed: string[] = [];
  let loads = 0;
  const ages: Ages = { samples: 0, intervals: 0, ms: 0 };
  let endsMs = NEVER;
  const isOver = () => Date.now() >= endsMs;
  try {
    const cookies: string[] = [];
    for (const operator of all.operators) cookies.push(await signedIn(all.url, operator));
    const traffic = [
      ...Array.from({ length: OPERATORS * PAGES_OF_OPERATOR }, (_, index) =>
        panningViewer(pool, cookies[index % OPERATORS] as string, index, () => endsMs, seen),
      ),
      ...Array.from({ length: LOADS }, (_, index) =>
        again(SECOND_MS, failed, isOver, async () => {
          await load(pool, cookies[index] as string, index);
          loads++;
        }),
      ),
    ];
    await delay(SETTLE_MS);
    const measure = measuresAges(pool, cookies[0] as string, ages);
    traffic.push(again(SAMPLE_EVERY_MS, failed, isOver, measure));
    await delay(SETTLE_MS);
    const before = { answers: seen.answers, ages: { ...ages } };
    Object.assign(ages, { samples: 0, intervals: 0, ms: 0 });
    const beganMs = Date.now();
    for (const server of all.servers) await replace(all, server);
    const tookS = (Date.now() - beganMs) / SECOND_MS;
    endsMs = Date.now();
    await Promise.all(traffic);
    const late = seen.tookMs.slice(before.answers).toSorted((a, b) => a - b);
    return {
      what: `${SERVERS} servers behind nginx, each stopped by SIGTERM and started again, one after the other, while ${OPERATORS * PAGES_OF_OPERATOR} pages of ${OPERATORS} operators pan or zoom at every poll and ${LOADS} load half an hour of the past after the other`,
      goal: { failed_answers: 0, intervals_of_age: INTERVALS_MAX },
      reached: seen.errors + failed.length === 0 && ages.intervals <= INTERVALS_MAX && ages.samples > 0 && loads > 0,
      took_s: Math.round(tookS),
      answers: seen.answers - before.answers,
      failed_answers: seen.errors,
      loads,
      failed_otherwise: failed,
      ages: rounded(ages),
      ages_before: rounded(before.ages),
      answer_p95_ms: Math.round(late[Math.floor(late.length * 0.95)] ?? Number.NaN),
      slowest_ms: Math.round(late.at(-1) ?? Number.NaN),
    };
  } finally {
    endsMs = 0;
    await pool.destroy();
    await all.stop();
  }
}

async function replace(all: RunningServers, server: Server): Promise<void> {
  await all.stopServer(server);
  await delay(BETWEEN_MS);
  await all.start(server);
  await delay(BETWEEN_MS);
}

/** Continues after a failure, and keeps it. */
async function again(everyMs: number, failed: string[], isOver: () => boolean, run: () => Promise<void>) {
  while (!isOver()) {
    try {
      await run();
    } catch (error) {
      failed.push(String(error));
    }
    await delay(everyMs);
  }
}

/** Loads the past of a place up to now, of which a part is always new. */
async function load(pool: Pool, cookie: string, index: number): Promise<void> {
  const west = 8 + index / 2;
  const end = Math.floor(Date.now() / MINUTE_MS - 2) * MINUTE_MS;
  const [from, to] = [end - LOADED_MS, end].map((ms) => new Date(ms).toISOString());
  const path = `/api/history?bbox=${west},47,${west + 0.3},47.2&layers=adsb&start=${from}&end=${to}`;
  const { statusCode, body } = await pool.request({ method: 'GET', path, headers: { cookie } });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`a load was answered ${statusCode}`);
  if (!text.includes('"type":"end"')) throw new Error('a load has no end');
}

/** @returns what notes the age of each area. An area that was never read in time is new, and is not counted. */
function measuresAges(pool: Pool, cookie: string, ages: Ages): () => Promise<void> {
  let known: ReadonlySet<string> = new Set();
  return async () => {
    const { body } = await pool.request({ method: 'GET', path: '/api/status', headers: { cookie } });
    const { as_of, areas } = statusAnswerSchema.parse(await body.json());
    const read = areas.flatMap(({ interval_ms, ...area }) => {
      const { fetched_at } = area;
      if (interval_ms === null) return [];
      const ms = fetched_at === null ? Number.NaN : Date.parse(as_of) - Date.parse(fetched_at);
      return known.has(nameOf(area)) || ms <= interval_ms ? [{ name: nameOf(area), ms, interval_ms }] : [];
    });
    for (const { ms, interval_ms } of read) {
      ages.samples++;
      ages.ms = Math.max(ages.ms, ms);
      ages.intervals = Math.max(ages.intervals, ms / interval_ms);
    }
    known = new Set(read.map(({ name }) => name));
  };
}

function nameOf({ layer, bbox }: Pick<PlannedArea, 'layer' | 'bbox'>): string {
  return `${layer} ${bbox.join(' ')}`;
}

function rounded({ samples, intervals, ms }: Ages): object {
  return { samples, intervals: Number(intervals.toFixed(2)), longest_s: Number((ms / SECOND_MS).toFixed(1)) };
}
