import type { DatabaseTarget } from '#lib/server/database/open-database.ts';
import { type Findings, KilledWatcher } from '#lib/server/zones/watch/killed-watcher.fixture.ts';
import { postgresPrograms, startCluster } from '#testing/postgres-cluster.ts';

const KILLS = Number(process.env.ZONE_KILLS ?? 100);
const FAILOVERS = Number(process.env.ZONE_FAILOVERS ?? 20);
/** Steps of 5 s until the next process; a negative number reads again. */
const SKIPPED = [-3, 0, 2, 12, 36] as const;

export async function bench(): Promise<object> {
  const killed = await watched(KILLS, 'watchUntilKilled');
  const failedOver = await failedOverWatches();
  const all = [killed, failedOver ?? []].flat();
  return {
    what: 'six tracks cross a zone; its watch is killed at random times, and is away for 0 to 3 min. Over PostgreSQL the next writer begins first',
    goal: { missed: 0, double: 0 },
    reached: failedOver !== undefined && all.every(({ missed, double }) => missed === 0 && double === 0),
    kills: { count: KILLS, ...killed },
    failovers: failedOver ? { count: FAILOVERS, ...failedOver } : 'PostgreSQL is missing',
  };
}

type Ending = 'watchUntilKilled' | 'watchUntilReplaced';

async function watched(count: number, ending: Ending, target?: DatabaseTarget): Promise<Findings> {
  const watcher = new KilledWatcher(target);
  await watcher.prepare();
  for (let at = 0; at < count; at++) await watcher[ending](Math.random() * 300, SKIPPED[at % SKIPPED.length] ?? 0);
  return watcher.finish(100);
}

async function failedOverWatches(): Promise<Findings | undefined> {
  const programs = postgresPrograms();
  if (programs === undefined) return undefined;
  const cluster = startCluster(programs);
  try {
    return await watched(FAILOVERS, 'watchUntilReplaced', cluster.target());
  } finally {
    cluster.remove();
  }
}
