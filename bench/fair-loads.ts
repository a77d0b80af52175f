import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { MIN_INTERVAL_MS } from '#lib/server/live/pace/pace-limits.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { OpenedStream } from '../e2e/driver/opened-stream.ts';
import { iso, pastWindow } from '../e2e/driver/past-window.ts';
import { type RunningLookout, startLookout } from '../e2e/running/running-lookout.ts';
import { built } from './built.ts';
import { signedIn } from './signed-in.ts';

const LOADS = 40;
const SLOW_MS = 1500;
const WATCHED_MS = 45_000;
/** The shortest interval, and what an answer takes. */
const INTERVAL_MS = MIN_INTERVAL_MS + SLOW_MS;
const GOAL = { age_intervals: 2, first_view_ms: 5000 };
const VIEW = '7,46,9,48';
const FIRST_VIEWS = 5;

/** The live picture of one operator over a slow service, alone and while another one loads the past in forty pages. */
export async function fairLoads(): Promise<object> {
  await built();
  const lookout = await startLookout({ operators: ['anna', 'ben'], settings: { LOG_LEVEL: 'silent' } });
  try {
    const [anna, ben] = lookout.operators;
    if (!anna || !ben) throw new Error('two operators were wanted');
    const [annas, bens] = [await signedIn(lookout.url, anna), await signedIn(lookout.url, ben)];
    await watched(lookout.url, bens, INTERVAL_MS);
    await lookout.service.breakWith({ kind: 'slow', delay_ms: SLOW_MS });
    const alone = await figures(lookout, bens, 0);
    const loads = Array.from({ length: LOADS }, (_, index) => new OpenedStream(pastOf(lookout.url, index), annas));
    await delay(SLOW_MS);
    const beside = await figures(lookout, bens, FIRST_VIEWS);
    const running = loads.filter(({ lines }) => lines.at(-1)?.type === 'progress').length;
    for (const load of loads) load.close();
    return {
      what: `a view watched over a service that answers after ${SLOW_MS} ms, for ${WATCHED_MS / 1000} s: greatest age of what is shown and slowest first view of ${FIRST_VIEWS} places, alone and beside ${LOADS} loads of another operator`,
      goal: GOAL,
      reached: beside.age_intervals <= GOAL.age_intervals && beside.first_view_ms <= GOAL.first_view_ms,
      running,
      alone,
      beside,
    };
  } finally {
    await lookout.stop();
  }
}

async function figures({ url, service }: RunningLookout, cookie: string, from: number) {
  await service.forgetRequests();
  const ageMs = await watched(url, cookie, WATCHED_MS);
  const past = (await service.requests()).filter(({ operation }) => operation === 'history_adsb').length;
  let slowestMs = 0;
  for (let place = from; place < from + FIRST_VIEWS; place++) {
    const beganMs = performance.now();
    while ((await live(url, cookie, `${-9 + 2 * place},38,${-8 + 2 * place},39`, 'two')).fetchedAt === null)
      await delay(50);
    slowestMs = Math.max(slowestMs, performance.now() - beganMs);
  }
  return {
    age_ms: ageMs,
    age_intervals: Math.round((ageMs / INTERVAL_MS) * 100) / 100,
    first_view_ms: Math.round(slowestMs),
    requests_of_the_past: past,
  };
}

async function watched(url: string, cookie: string, forMs: number): Promise<number> {
  let greatestMs = 0;
  for (const endMs = performance.now() + forMs; performance.now() < endMs; await delay(200)) {
    const { asOf, fetchedAt } = await live(url, cookie, VIEW, 'one');
    if (fetchedAt !== null) greatestMs = Math.max(greatestMs, Date.parse(asOf) - Date.parse(fetchedAt));
  }
  return greatestMs;
}

async function live(url: string, cookie: string, bbox: string, page: string) {
  const answer = await request(`${url}/api/live?bbox=${bbox}&layers=adsb&page=${page}`, { headers: { cookie } });
  const body = (await answer.body.json()) as { as_of: string; layers: { adsb: { fetched_at: string | null } } };
  return { asOf: body.as_of, fetchedAt: body.layers.adsb.fetched_at };
}

function pastOf(url: string, index: number): string {
  const { start, end } = pastWindow(HOUR_MS / MINUTE_MS);
  const query = `start=${iso(start - index * HOUR_MS)}&end=${iso(end - index * HOUR_MS)}`;
  return `${url}/api/history?bbox=${VIEW}&layers=adsb&${query}`;
}
