import { Pool } from 'undici';
import { startLookout } from '../e2e/running/running-lookout.ts';
import { SECOND_MS } from '../lib/time/time-units.ts';
import { built } from './built.ts';

const READS = 1000;
const VIEW = 'bbox=5,45,11,48&layers=rid,adsb';
/** Too far from VIEW for one request to cover both: reading it warms up the code without caching anything of VIEW. */
const ELSEWHERE = 'bbox=100,10,101,11&layers=rid,adsb';
const WARM_UP = 100;
/** The upstream's delay. It is long enough for all reads to arrive before the first answer. */
const UPSTREAM_MS = 500;

/** Many identical concurrent reads of a view that is not cached. */
export async function collapse(): Promise<object> {
  await built();
  // A proxy has the connections of all its clients.
  const lookout = await startLookout({ settings: { TRUSTED_PROXIES: 'loopback' } });
  const pool = new Pool(lookout.url, { connections: READS });
  try {
    for (let read = 0; read < WARM_UP; read++) await (await fetch(`${lookout.url}/api/live?${ELSEWHERE}`)).text();
    await lookout.service.breakWith({ kind: 'slow', delay_ms: UPSTREAM_MS });
    const began = performance.now();
    const answers = await Promise.all(
      Array.from({ length: READS }, async () => {
        const { statusCode, body } = await pool.request({ method: 'GET', path: `/api/live?${VIEW}` });
        const answer = (await body.json()) as { layers?: { adsb?: { records: unknown[] } } };
        return { statusCode, records: answer.layers?.adsb?.records.length ?? 0 };
      }),
    );
    const allMs = Math.round(performance.now() - began);
    const requests = (await lookout.service.requests()).filter(({ query }) => !query.includes('bbox=100'));
    const refreshes = (id: string) => requests.filter(({ operation }) => operation === id).length;
    const answered = answers.filter(({ statusCode, records }) => statusCode === 200 && records > 0).length;
    return {
      what: `${READS} identical concurrent GET /api/live of an uncached view, each on its own connection, against the built app after a warm-up elsewhere; the upstream answers after ${UPSTREAM_MS} ms`,
      goal: { refreshes_of_a_layer: 'one, and one more for each second', answered: READS },
      reached: Math.max(refreshes('live_adsb'), refreshes('live_rid')) <= 1 + allMs / SECOND_MS && answered === READS,
      refreshes: { adsb: refreshes('live_adsb'), rid: refreshes('live_rid') },
      answered,
      all_ms: allMs,
    };
  } finally {
    await pool.destroy();
    await lookout.stop();
  }
}
