import { type Findings, KilledWatcher } from '#lib/server/zones/watch/killed-watcher.fixture.ts';
import { postgresPrograms, startCluster } from '#testing/postgres-cluster.ts';

const KILLS = Number(process.env.ZONE_KILLS ?? 100);
const FAILOVERS = Number(process.env.ZONE_FAILOVERS ?? 20);
/** Steps of 5 s until the next process; a negative number reads again. */
const SKIPPED = [-3, 0, 2, 12, 36] as const;

const skipped = (index: number) => SKIPPED[index % SKIPPED.length] ?? 0;

export async function bench(): Promise<object> {
  const killed = await killedWatches();
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

async function killedWatches(): Promise<Findings> {
  const watcher = new KilledWatcher();
  await watcher.prepare();
  for (let kill = 0; kill < KILLS; kill++) await watcher.watchUntilKilled(Math.random() * 300, skipped(kill));
  return watcher.finish(100);
}

async function failedOverWatches(): Promise<Findings | undefined> {
  const programs = postgresPrograms();
  if (programs === undefined) return undefined;
  const cluster = startCluster(programs);
  try {
    const watcher = new KilledWatcher(cluster.target());
    await watcher.prepare();
    for (let failover = 0; failover < FAILOVERS; failover++)
      await watcher.watchUntilReplaced(Math.random() * 300, skipped(failover));
    return await watcher.finish(100);
  } finally {
    cluster.remove();
  }
}
