import { LookoutDriver } from './driver/lookout-driver.ts';
import { pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';
import { canStartServers, type RunningServers, startServers } from './running/running-servers.ts';

/** The load takes longer than a takeover. */
const SLOW = { kind: 'slow', delay_ms: 3000, operation: 'history_adsb' };
/** Parts that the killed writer was requesting: two at a time. */
const UNDER_WAY = 2;

let all: RunningServers;
test.beforeAll(async ({ plainBasemap }) => {
  test.skip(!canStartServers(), 'PostgreSQL or nginx is not installed');
  all = await startServers({ servers: 2, settings: plainBasemap });
});
test.afterAll(() => all?.stop());

test('A load continues after its writer was killed, and pays no part twice but those in flight', async ({ page }) => {
  const { writer } = await all.turn();
  const reader = all.servers.find((each) => each !== writer);
  const [alice] = all.operators;
  if (!reader || !alice) throw new Error('no reader');
  const signIn = new SignInDriver(page, reader.url);
  await signIn.opens('/');
  await signIn.submits(alice);
  const dock = new ReplayDock(page);
  const operator = new LookoutDriver(page, reader.url);
  await operator.seesPositions();
  await dock.asksFirst();
  await operator.goesTo(replayPath(pastWindow(30, 20)));
  await all.service.breakWith(SLOW);
  await dock.loads();
  const asked = async () => (await all.service.requests()).filter(({ operation }) => operation === 'history_adsb');
  await expect.poll(async () => (await asked()).length).toBeGreaterThan(4);
  const made = async () => Number(/(\d+) requests? made/.exec(await dock.loading.innerText())?.[1]);
  await expect.poll(made).toBeGreaterThan(0);
  const madeBefore = await made();
  let isRefused = false;
  const refused = page.locator('[data-loading=refused]').waitFor({ timeout: 0 });
  refused.then(
    () => (isRefused = true),
    () => undefined,
  );
  await all.kill(writer);
  // `mend` keeps the recorded requests.
  await all.service.mend();
  await dock.isLoaded();
  expect(new Set((await dock.band('Aircraft')).map(({ state }) => state))).toEqual(new Set(['complete']));
  expect(isRefused, 'the page reports no failure').toBe(false);
  const requests = await asked();
  const parts = new Set(requests.map(({ query }) => query));
  expect(requests.length - parts.size).toBeLessThanOrEqual(UNDER_WAY);
  // The page does not know of requests whose answers were lost, nor of those that the next writer sent after this server had given up.
  const madeInAll = await made();
  expect(madeInAll).toBeGreaterThan(madeBefore);
  expect(madeInAll).toBeLessThanOrEqual(requests.length);
});
