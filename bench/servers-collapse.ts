import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { MIN_INTERVAL_MS } from '#lib/server/live/pace/pace-limits.ts';
import { startServers } from '../e2e/running/running-servers.ts';
import { built } from './built.ts';
import { signedIn } from './signed-in.ts';

const READS = 300;
const SERVERS = 3;
const VIEW = 'bbox=5,45,11,48&layers=rid,adsb';
/** Too far from VIEW for one request to cover both: it warms up the code, and nothing of VIEW is cached. */
const ELSEWHERE = 'bbox=100,10,101,11&layers=rid,adsb';
const WARM_UP = 100;
/** The upstream's delay: all reads arrive before the first answer. */
const UPSTREAM_MS = 500;

async function isRead(url: string, cookie: string): Promise<boolean> {
  const { layers } = (await (await fetch(`${url}/api/live?${ELSEWHERE}`, { headers: { cookie } })).json()) as {
    readonly layers: Readonly<Record<string, { readonly fetched_at: string | null }>>;
  };
  return Object.values(layers).every(({ fetched_at }) => fetched_at !== null);
}

/** Many identical concurrent reads of a view that is not cached, over several servers. */
export async function serversCollapse(): Promise<object> {
  await built();
  const all = await startServers({ servers: SERVERS, operators: ['ada'] });
  const urls = all.servers.map(({ url }) => url);
  const cookie = await signedIn(all.url, all.operators[0] as (typeof all.operators)[number]);
  // Not through nginx: each server gets a third of them for certain.
  const pools = urls.map((url) => new Pool(url, { connections: Math.ceil(READS / SERVERS) }));
  try {
    for (let read = 0; read < WARM_UP; read++)
      for (const url of urls) await (await fetch(`${url}/api/live?${ELSEWHERE}`, { headers: { cookie } })).text();
    for (const url of urls) while (!(await isRead(url, cookie))) await delay(500);
    await all.service.breakWith({ kind: 'slow', delay_ms: UPSTREAM_MS });
    const began = performance.now();
    const answers = await Promise.all(
      Array.from({ length: READS }, async (_, read) => {
        const pool = pools[read % SERVERS] as Pool;
        const { statusCode, body } = await pool.request({
          method: 'GET',
          path: `/api/live?${VIEW}`,
          headers: { cookie },
        });
        const answer = (await body.json()) as { layers?: { adsb?: { records: unknown[] } } };
        return { statusCode, records: answer.layers?.adsb?.records.length ?? 0 };
      }),
    );
    const allMs = Math.round(performance.now() - began);
    const requests = (await all.service.requests()).filter(({ query }) => !query.includes('bbox=100'));
    const refreshes = (id: string) => {
      const sent = requests
        .filter(({ operation }) => operation === id)
        .map(({ received_at }) => Date.parse(received_at));
      return sent.filter((at) => at - Math.min(...sent) < MIN_INTERVAL_MS / 2).length;
    };
    const answered = answers.filter(({ statusCode, records }) => statusCode === 200 && records > 0).length;
    return {
      what: `${READS} identical concurrent GET /api/live of an uncached view, each on its own connection, a third of them against each of ${SERVERS} servers over one PostgreSQL, after a warm-up elsewhere; refreshes that come half an interval later are the next ones; the upstream answers after ${UPSTREAM_MS} ms`,
      goal: { refreshes_of_a_layer: 1, answered: READS },
      reached: refreshes('live_adsb') === 1 && refreshes('live_rid') === 1 && answered === READS,
      refreshes: { adsb: refreshes('live_adsb'), rid: refreshes('live_rid') },
      answered,
      all_ms: allMs,
    };
  } finally {
    for (const pool of pools) await pool.destroy();
    await all.stop();
  }
}
