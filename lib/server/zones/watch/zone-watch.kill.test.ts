import { expect, test } from 'vitest';
import { KilledWatcher } from './killed-watcher.fixture.ts';

const KILLS = 8;
/** Steps of 5 s before the next process: reads again, goes on at once, after a moment, after a minute and after three. */
const SKIPPED = [-3, 0, 2, 12, 36] as const;

test('after every kill, no visit of a track is announced twice, and none that history has is missed', async () => {
  const watcher = new KilledWatcher();
  await watcher.prepare();
  for (let kill = 0; kill < KILLS; kill++)
    await watcher.watchUntilKilled(Math.random() * 400, SKIPPED[kill % SKIPPED.length] ?? 0);
  const { visits, missed, double } = await watcher.finish(40);
  expect(visits).toBeGreaterThan(10);
  expect({ missed, double }).toEqual({ missed: 0, double: 0 });
});
