import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Pool } from 'undici';
import { COMPACT_LIVE_TYPE } from '#lib/api/compact-answer.ts';

const CONNECTIONS = [100, 500];
const SECONDS = 5;
/** Between two polls: many samples, and hardly any load. */
const POLL_EVERY_MS = 10;
/** The first requests of a run open their connections; pages are rendered for the first time. */
const WARM_UP_MS = 500;
const GOAL_P99_MS = 100;

export interface StrangersRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const get = (path: string, headers = {}): StrangersRequest => ({ method: 'GET', path, headers });
const REQUESTS: readonly StrangersRequest[] = [
  get('/sign-in'),
  get('/'),
  get('/nonsense'),
  get('/api/nonsense'),
  {
    method: 'POST',
    path: '/api/session',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: '{garbage',
  },
  get('/api/live?bbox=5,45,11,48&layers=adsb', { accept: COMPACT_LIVE_TYPE, cookie: 'lookout=forged' }),
  get('/basemap/built-from'),
  get('/healthz'),
];

/** How long polls of one session take while connections without a session send requests as fast as they are answered. */
export async function pollsBesideStrangers(url: string, cookie: string): Promise<{ readonly reached: boolean }> {
  const runs: Record<string, object> = {};
  let isReached = true;
  // Code is compiled, and areas are read.
  await pollTimes(url, cookie);
  for (const sent of REQUESTS) {
    for (const connections of CONNECTIONS) {
      const worker = new Worker(new URL('./strangers-worker.ts', import.meta.url), {
        workerData: { url, sent, connections },
      });
      await delay(WARM_UP_MS);
      const tookMs = (await pollTimes(url, cookie)).toSorted((a, b) => a - b);
      await worker.terminate();
      const at = (share: number) => Math.round(10 * (tookMs[Math.ceil(share * tookMs.length) - 1] ?? Number.NaN)) / 10;
      if (connections === CONNECTIONS[0]) isReached &&= at(0.99) <= GOAL_P99_MS;
      runs[`${sent.method} ${sent.path.split('?')[0]} × ${connections}`] = { p50_ms: at(0.5), p99_ms: at(0.99) };
    }
  }
  const result = { goal: { p99_ms_at_100: GOAL_P99_MS }, reached: isReached, polls: runs };
  return result;
}

async function pollTimes(url: string, cookie: string): Promise<number[]> {
  const pool = new Pool(url, { connections: 1 });
  const tookMs: number[] = [];
  const began = performance.now();
  while (performance.now() - began < SECONDS * 1000) {
    const sent = performance.now();
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path: '/api/live?bbox=5,45,11,48&layers=rid,adsb&page=bench',
      headers: { cookie, accept: COMPACT_LIVE_TYPE },
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`a poll answered ${statusCode}`);
    tookMs.push(performance.now() - sent);
    await delay(POLL_EVERY_MS);
  }
  await pool.close();
  return tookMs;
}
