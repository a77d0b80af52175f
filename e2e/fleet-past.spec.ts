import { hasRedis } from '#lib/server/redis/redis-process.fixture.ts';
import { installedNginx } from '../scripts/setup/debian-packages.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';
import { type Replica, type RunningFleet, startFleet } from './running/running-fleet.ts';

/** The load takes longer than a server needs to start. */
const SLOW = { kind: 'slow', delay_ms: 3000, operation: 'history_adsb' };
/** What the killed server was asking for: two parts at a time. */
const UNDER_WAY = 2;

let fleet: RunningFleet;
test.beforeAll(async ({ plainBasemap }) => {
  test.skip(!hasRedis() || installedNginx() === undefined, 'redis-server or nginx is not installed');
  // All that is asked first is asked of the first one.
  fleet = await startFleet({ replicas: 1, settings: plainBasemap });
});
test.afterAll(() => fleet?.stop());

test('A replay whose server is killed amid its load is loaded on by another one, and no part is paid twice but what was under way', async ({
  page,
}) => {
  const [first] = fleet.replicas as readonly [Replica];
  const dock = new ReplayDock(page);
  const operator = new LookoutDriver(page, fleet.url);
  await dock.asksFirst();
  await operator.goesTo(replayPath(pastWindow(30, 20)));
  await fleet.service.breakWith(SLOW);
  await dock.loads();
  await expect.poll(async () => (await fleet.service.requests()).length).toBeGreaterThan(4);
  // Its connection stays with the first one.
  await fleet.add();
  let isRefused = false;
  const refused = page.locator('[data-loading=refused]').waitFor({ timeout: 0 });
  refused.then(
    () => (isRefused = true),
    () => undefined,
  );
  await fleet.kill(first);
  await fleet.forget(first);
  await fleet.service.mend();
  await dock.isLoaded();
  expect(new Set((await dock.band('Aircraft')).map(({ state }) => state))).toEqual(new Set(['complete']));
  expect(isRefused, 'its page says nothing of a failure').toBe(false);
  const asked = (await fleet.service.requests()).filter(({ operation }) => operation === 'history_adsb');
  const parts = new Set(asked.map(({ query }) => query));
  expect(asked.length - parts.size).toBeLessThanOrEqual(UNDER_WAY);
  const made = Number(/(\d+) requests made/.exec(await dock.loading.innerText())?.[1]);
  expect(asked.length - made, 'what was under way came without its price').toBeLessThanOrEqual(UNDER_WAY);
  expect(made).toBeLessThanOrEqual(asked.length);
});
