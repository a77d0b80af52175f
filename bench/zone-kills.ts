import { KilledWatcher } from '#lib/server/zones/watch/killed-watcher.fixture.ts';

const KILLS = Number(process.env.ZONE_KILLS ?? 100);
/** Steps of 5 s until the next process: reads again, goes on at once, after a moment, after a minute and after three. */
const SKIPPED = [-3, 0, 2, 12, 36] as const;

/** Kills a process that watches a zone at random times, while tracks cross it. */
export async function bench(): Promise<object> {
  const watcher = new KilledWatcher();
  await watcher.prepare();
  for (let kill = 0; kill < KILLS; kill++)
    await watcher.watchUntilKilled(Math.random() * 300, SKIPPED[kill % SKIPPED.length] ?? 0);
  const { visits, missed, double } = await watcher.finish(100);
  return {
    what: 'six tracks cross a zone; the process that watches it gets SIGKILL at random times, and is away for 0 to 3 min',
    goal: { missed: 0, double: 0 },
    reached: missed === 0 && double === 0,
    kills: KILLS,
    visits,
    missed,
    double,
  };
}
