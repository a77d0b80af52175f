import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { startLookout } from '../e2e/running/running-lookout.ts';
import { built } from './built.ts';
import { InspectedHeap } from './inspected-heap.ts';
import { panningViewer, type Tally } from './panning-viewer.ts';
import { signedIn } from './signed-in.ts';
import { spread } from './spread.ts';

const VIEWERS = 200;
/** A session has at most 32 views. */
const SESSIONS = 8;
const MINUTES = Number(process.env.SOAK_MINUTES ?? 3);
const HEAP_EVERY_MS = 20_000;
/**
 * Memory counts as flat if it grows by at most this after the first third, in which code is compiled and caches fill.
 */
const FLAT_MB = 5;

/** Viewers who pan and zoom constantly, over HTTP against the built app and the service. */
export async function soak(): Promise<object> {
  await built();
  const lookout = await startLookout({
    operators: ['soak'],
    service: { options: ['--tracks', '2000,200', '--allowance', '6000,2000000'] },
    settings: { LOG_LEVEL: 'silent', NODE_OPTIONS: '--inspect=127.0.0.1:0' },
  });
  const pool = new Pool(lookout.url, { connections: VIEWERS });
  try {
    const [account] = lookout.operators;
    if (!account) throw new Error('no operator');
    const cookies: string[] = [];
    for (let session = 0; session < SESSIONS; session++) cookies.push(await signedIn(lookout.url, account));
    const heap = await InspectedHeap.connect(lookout.app.stderr());
    const tally: Tally = { answers: 0, errors: 0, empty: 0, bytes: 0, tookMs: [] };
    const endsMs = Date.now() + MINUTES * MINUTE_MS;
    const viewers = Array.from({ length: VIEWERS }, (_, index) =>
      panningViewer(pool, cookies[index % SESSIONS] as string, index, endsMs, tally),
    );
    const heapMb: number[] = [];
    while (Date.now() < endsMs) {
      await delay(Math.min(HEAP_EVERY_MS, endsMs - Date.now()));
      heapMb.push(await heap.usedMb());
    }
    await Promise.all(viewers);
    heap.close();
    const settled = heapMb.slice(Math.floor(heapMb.length / 3));
    const slopeMb = slope(settled);
    const grownMb = slopeMb * (settled.length - 1);
    const { tookMs, ...counts } = tally;
    return {
      what: `${VIEWERS} viewers in ${SESSIONS} sessions, each panning or zooming at every poll, for ${MINUTES} minutes; memory of the app, buffers included, after a collection every ${HEAP_EVERY_MS / 1000} s; growth is that of a line fitted to the last two thirds`,
      goal: { errors: 0, grown_mb: FLAT_MB },
      reached: tally.errors === 0 && grownMb <= FLAT_MB,
      ...counts,
      ms: spread(tookMs),
      upstream_requests: (await lookout.service.requests()).length,
      heap_mb: heapMb,
      grown_mb: Math.round(grownMb * 10) / 10,
      slope_mb_a_minute: Math.round(slopeMb * (MINUTE_MS / HEAP_EVERY_MS) * 100) / 100,
    };
  } finally {
    await pool.destroy();
    await lookout.stop();
  }
}

/** Slope of the least-squares line through the values, in their unit per step. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [along, across] = [0, 0];
  for (const [index, value] of values.entries()) {
    along += (index - middle) * (value - mean);
    across += (index - middle) ** 2;
  }
  return across === 0 ? Number.NaN : along / across;
}
