import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { MIN_INTERVAL_MS } from '#lib/server/live/pace/refresh-pace.ts';
import { startLookout } from '../e2e/running/running-lookout.ts';
import type { RunningService } from '../e2e/running/running-service.ts';
import { built } from './built.ts';

const VIEW = 'bbox=5,45,11,48&layers=rid,adsb';
/** Too far from VIEW to cache anything of it. */
const ELSEWHERE = 'bbox=100,10,101,11&layers=rid,adsb';
const WARM_UP = 100;
/** All reads arrive before the upstream's first answer. */
const UPSTREAM_MS = 500;

export async function bench(): Promise<object> {
  await built();
  const lookout = await startLookout({ settings: { TRUSTED_PROXIES: 'loopback' } });
  try {
    return await coldReads(1000, lookout.service, [lookout.url], {});
  } finally {
    await lookout.stop();
  }
}

type Layers = Readonly<Record<string, { fetched_at: string | null; records: readonly unknown[] }>>;

/** @param urls of servers, which get equal parts of the reads */
export async function coldReads(
  reads: number,
  service: RunningService,
  urls: readonly string[],
  headers: { cookie?: string },
) {
  const pools = urls.map((url) => new Pool(url, { connections: Math.ceil(reads / urls.length) }));
  const read = async (index: number, query: string) => {
    const pool = pools[index % pools.length] as Pool;
    const { statusCode, body } = await pool.request({ method: 'GET', path: `/api/live?${query}`, headers });
    return { isOk: statusCode === 200, layers: ((await body.json()) as { layers?: Layers }).layers ?? {} };
  };
  try {
    for (let warm = 0; warm < WARM_UP * urls.length; warm++) await read(warm, ELSEWHERE);
    for (let server = 0; server < urls.length; server++)
      while (Object.values((await read(server, ELSEWHERE)).layers).some(({ fetched_at }) => fetched_at === null))
        await delay(UPSTREAM_MS);
    await service.breakWith({ kind: 'slow', delay_ms: UPSTREAM_MS });
    const beganMs = Date.now();
    const answers = await Promise.all(Array.from({ length: reads }, (_, index) => read(index, VIEW)));
    const allMs = Date.now() - beganMs;
    const [adsb, rid] = [await firstRefreshes(service, 'live_adsb'), await firstRefreshes(service, 'live_rid')];
    const answered = answers.filter(({ isOk, layers }) => isOk && (layers.adsb?.records.length ?? 0) > 0).length;
    return {
      what: `${reads} identical concurrent GET /api/live of an uncached view, each on its own connection, at ${urls.length} server(s). The upstream answers after ${UPSTREAM_MS} ms. Refreshes half an interval later are the next ones`,
      goal: { refreshes_of_a_layer: 1, answered: reads },
      reached: adsb === 1 && rid === 1 && answered === reads,
      refreshes: { adsb, rid },
      answered,
      all_ms: allMs,
    };
  } finally {
    for (const pool of pools) await pool.destroy();
  }
}

async function firstRefreshes(service: RunningService, operation: 'live_rid' | 'live_adsb'): Promise<number> {
  const sent = (await service.requestsFor(operation))
    .filter(({ query }) => !query.includes('bbox=100'))
    .map(({ received_at }) => Date.parse(received_at));
  return sent.filter((at) => at - Math.min(...sent) < MIN_INTERVAL_MS / 2).length;
}
