import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { PACE_LIMITS } from '#lib/server/live/pace/pace-limits.ts';
import { startFleet } from '../e2e/running/running-fleet.ts';
import { built } from './built.ts';

const READS = 1000;
const REPLICAS = 3;
const VIEW = 'bbox=5,45,11,48&layers=rid,adsb';
/** Too far from VIEW for one request to cover both: reading it warms up the code without caching anything of VIEW. */
const ELSEWHERE = 'bbox=100,10,101,11&layers=rid,adsb';
const WARM_UP = 100;
/** The upstream's delay. It is long enough for all reads to arrive before the first answer. */
const UPSTREAM_MS = 500;

async function isRead(url: string): Promise<boolean> {
  const { layers } = (await (await fetch(`${url}/api/live?${ELSEWHERE}`)).json()) as {
    readonly layers: Readonly<Record<string, { readonly fetched_at: string | null }>>;
  };
  return Object.values(layers).every(({ fetched_at }) => fetched_at !== null);
}

/** Many identical concurrent reads of a view that is not cached, over several replicas. */
export async function fleetCollapse(): Promise<object> {
  await built();
  const fleet = await startFleet({ replicas: REPLICAS });
  const urls = fleet.replicas.map(({ app }) => app.url);
  // Not through nginx: each replica has its part of them for certain.
  const pools = urls.map((url) => new Pool(url, { connections: Math.ceil(READS / REPLICAS) }));
  try {
    for (let read = 0; read < WARM_UP; read++)
      for (const url of urls) await (await fetch(`${url}/api/live?${ELSEWHERE}`)).text();
    // A new ledger of several servers grants nothing but a probe for some seconds.
    for (const url of urls) while (!(await isRead(url))) await delay(500);
    await fleet.service.breakWith({ kind: 'slow', delay_ms: UPSTREAM_MS });
    const began = performance.now();
    const answers = await Promise.all(
      Array.from({ length: READS }, async (_, read) => {
        const pool = pools[read % REPLICAS] as Pool;
        const { statusCode, body } = await pool.request({ method: 'GET', path: `/api/live?${VIEW}` });
        const answer = (await body.json()) as { layers?: { adsb?: { records: unknown[] } } };
        return { statusCode, records: answer.layers?.adsb?.records.length ?? 0 };
      }),
    );
    const allMs = Math.round(performance.now() - began);
    const requests = (await fleet.service.requests()).filter(({ query }) => !query.includes('bbox=100'));
    const refreshes = (id: string) => {
      const sent = requests
        .filter(({ operation }) => operation === id)
        .map(({ received_at }) => Date.parse(received_at));
      return sent.filter((at) => at - Math.min(...sent) < PACE_LIMITS.minMs / 2).length;
    };
    const answered = answers.filter(({ statusCode, records }) => statusCode === 200 && records > 0).length;
    return {
      what: `${READS} identical concurrent GET /api/live of an uncached view, each on its own connection, a third of them against each of ${REPLICAS} replicas of the built app over one Redis, after a warm-up elsewhere; refreshes that come half an interval later are the next ones; the upstream answers after ${UPSTREAM_MS} ms`,
      goal: { refreshes_of_a_layer: 1, answered: READS },
      reached: refreshes('live_adsb') === 1 && refreshes('live_rid') === 1 && answered === READS,
      refreshes: { adsb: refreshes('live_adsb'), rid: refreshes('live_rid') },
      answered,
      all_ms: allMs,
    };
  } finally {
    for (const pool of pools) await pool.destroy();
    await fleet.stop();
  }
}
