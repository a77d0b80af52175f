import { spawn } from 'node:child_process';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'undici';
import { COMPACT_LIVE_TYPE } from '#lib/api/compact-answer.ts';
import { startLookout } from '../e2e/running/running-lookout.ts';
import { built } from './built.ts';
import { quantile, rounded } from './figures.ts';
import { signedIn } from './signed-in.ts';

/** As in the benchmark `read`: about a thousand aircraft are in the view. */
const AIRCRAFT = 2900;
const VIEW = 'bbox=-6,33,22,60&layers=adsb';
const OPERATORS = ['one', 'two', 'three', 'four'];
const CONNECTIONS = [100, 400];
const BUSY_LOOPS = [0, 2];
const LATE_MS = 2000;
const PAUSE_MS = 1000;
/** p99 ≤ ratio × p50 + `extra_ms`. */
const GOAL = { ratio: 4, extra_ms: 50 };
const SECONDS = Number(process.env.POLLS_SECONDS ?? 10);

export async function bench(): Promise<object> {
  await built();
  const lookout = await startLookout({
    operators: OPERATORS,
    service: { options: ['--tracks', `${AIRCRAFT},0`] },
    settings: { LOG_LEVEL: 'silent' },
  });
  try {
    const cookies = await Promise.all(lookout.operators.map((operator) => signedIn(lookout.url, operator)));
    await polled(lookout.url, cookies, 16, 2);
    const runs: object[] = [];
    let hasReached = true;
    for (const busyLoops of BUSY_LOOPS) {
      for (const connections of CONNECTIONS) {
        await delay(PAUSE_MS);
        const loops = Array.from({ length: busyLoops }, () => spawn(process.execPath, ['-e', 'for (;;);']));
        const { tookMs, firstMs } = await polled(lookout.url, cookies, connections, SECONDS).finally(() => {
          for (const loop of loops) loop.kill('SIGKILL');
        });
        const [p50, p99] = [quantile(tookMs, 0.5), quantile(tookMs, 0.99)];
        const allowed = rounded(GOAL.ratio * p50 + GOAL.extra_ms);
        hasReached &&= p99 <= allowed;
        runs.push({
          connections,
          busy_loops: busyLoops,
          polls: tookMs.length,
          ms: { p50, p99, allowed, max: quantile(tookMs, 1), first: quantile(firstMs, 1) },
          over_2_s: tookMs.filter((ms) => ms > LATE_MS).length,
          load: rounded(loadavg()[0] ?? 0),
        });
      }
    }
    return {
      what: `full polls of ${OPERATORS.length} operators; each connection opens at the start and sends its next poll after an answer, for ${SECONDS} s`,
      goal: GOAL,
      reached: hasReached,
      runs,
    };
  } finally {
    await lookout.stop();
  }
}

/** @returns how long polls took in ms: all of them, and the first of each connection, which includes its connect */
async function polled(url: string, cookies: readonly string[], connections: number, seconds: number) {
  const tookMs: number[] = [];
  const firstMs: number[] = [];
  const untilMs = performance.now() + seconds * 1000;
  const poll = async (connection: number) => {
    const client = new Client(url);
    const path = `/api/live?${VIEW}&page=${connection}`;
    const headers = { accept: COMPACT_LIVE_TYPE, cookie: cookies[connection % cookies.length] };
    let isFirst = true;
    while (performance.now() < untilMs) {
      const sentMs = performance.now();
      const { statusCode, body } = await client.request({ method: 'GET', path, headers });
      await body.arrayBuffer();
      if (statusCode !== 200) throw new Error(`a poll was answered with ${statusCode}`);
      const ms = performance.now() - sentMs;
      if (isFirst) firstMs.push(ms);
      isFirst = false;
      tookMs.push(ms);
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: connections }, (_, connection) => poll(connection)));
  return { tookMs, firstMs };
}
