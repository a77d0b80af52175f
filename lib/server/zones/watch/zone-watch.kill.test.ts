import { expect, test } from 'vitest';
import { runs } from '#testing/budget.ts';
import { describePostgres } from '#testing/test-databases.ts';
import { KilledWatcher } from './killed-watcher.fixture.ts';

const KILLS = runs(8);
const FAILOVERS = runs(4);
/** Steps of 5 s before the next process; negative: repeated. */
const SKIPPED = [-3, 0, 2, 12, 36] as const;
/** Short runs begin at another one each. */
const FIRST = Math.floor(Math.random() * SKIPPED.length);
const skippedAfter = (end: number) => SKIPPED[(FIRST + end) % SKIPPED.length] ?? 0;

test('after every kill, no visit of a track is announced twice, and none that history has is missed', async () => {
  const watcher = new KilledWatcher();
  await watcher.prepare();
  for (let kill = 0; kill < KILLS; kill++) await watcher.watchUntilKilled(Math.random() * 400, skippedAfter(kill));
  const { visits, missed, double } = await watcher.finish(40);
  expect(visits).toBeGreaterThan(5);
  expect({ missed, double }).toEqual({ missed: 0, double: 0 });
});

describePostgres('after every failover', ({ newTarget }) => {
  test('the same holds, although the writer before goes on for a while', async () => {
    const watcher = new KilledWatcher(newTarget());
    await watcher.prepare();
    for (let failover = 0; failover < FAILOVERS; failover++)
      await watcher.watchUntilReplaced(Math.random() * 400, skippedAfter(failover));
    const { visits, missed, double } = await watcher.finish(40);
    expect(visits).toBeGreaterThan(5);
    expect({ missed, double }).toEqual({ missed: 0, double: 0 });
  });
});
