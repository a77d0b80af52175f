import { MINUTE_MS } from '#lib/time/time-units.ts';
import { AllowancePanel } from './driver/allowance-panel.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { addressTime, pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';

test('A viewer who opens an operator’s link to a replay sees the loaded part, spends nothing, and sees why the rest is missing', async ({
  startDesk,
  page,
  browser,
}) => {
  const { lookout } = await startDesk({ operators: ['tower', 'wall'], roles: { wall: 'viewer' } });
  const [tower, wall] = lookout.operators;
  if (!tower || !wall) throw new Error('no operators');
  const spent = async () =>
    (await lookout.service.requests()).filter(({ operation }) => operation.startsWith('history')).length;

  const window = pastWindow(5);
  const before = addressTime(window.start - 5 * MINUTE_MS);
  const signIn = new SignInDriver(page, lookout.url);
  await signIn.opens(replayPath(window));
  await signIn.submits(tower);
  const dock = new ReplayDock(page);
  await dock.loadsFully();
  const link = new URL(page.url());
  const loaded = await spent();
  expect(loaded).toBeGreaterThan(0);

  // Another screen than the operator's: the link names the area.
  const screen = await browser.newPage({ viewport: { width: 1600, height: 900 } });
  const wallSignIn = new SignInDriver(screen, lookout.url);
  await wallSignIn.opens(`${link.pathname}${link.search}`);
  await wallSignIn.submits(wall);
  const seen = new ReplayDock(screen);
  await seen.isLoaded();
  await expect(seen.loading).toHaveText('Complete · 0 requests made');
  expect(await seen.observations('Aircraft')).toBe(await dock.observations('Aircraft'));

  const longer = new URL(link);
  longer.searchParams.set('from', before);
  const opened = new LookoutDriver(screen, lookout.url);
  await test.step('parts that are not loaded are missing, with the reason, and without a button that would fail', async () => {
    await opened.goesTo(`${longer.pathname}${longer.search}`);
    await seen.isLoaded();
    await expect(seen.loading).toContainText('your role spends nothing on the past');
    await expect(seen.loading).toContainText('0 requests made');
    await expect(seen.dock).toContainText('An operator can load the rest.');
    await expect(seen.button('Load the rest')).toHaveCount(0);
    await expect(seen.button(/^Load/)).toHaveCount(0);
    expect(await seen.observations('Aircraft')).toBeGreaterThan(0);
    const states = (await seen.band('Aircraft')).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(['not-requested', 'complete']));
    await seen.button('Look again').click();
    await seen.isLoaded();
    await expect(seen.button('Look again')).toBeVisible();
    expect(await spent()).toBe(loaded);
  });

  await test.step('once an operator has loaded it, a look again shows it', async () => {
    await page.goto(longer.href);
    await dock.loadsFully();
    const all = await spent();
    expect(all).toBeGreaterThan(loaded);
    await seen.button('Look again').click();
    await expect(seen.loading).toHaveText('Complete · 0 requests made');
    expect(await spent()).toBe(all);
  });

  await test.step('live, controls that would spend requests say in advance that they do not', async () => {
    const all = await spent();
    const why = 'Shows what is loaded already: your role spends nothing on the past.';
    await seen.button('Back to live').click();
    await screen.getByRole('tab', { name: 'View' }).click();
    await expect(screen.getByTestId('last-hour-price')).toHaveText(why);
    await expect(screen.getByRole('radiogroup', { name: 'Replays load by themselves' })).toHaveCount(0);
    await screen.getByRole('button', { name: /^Replay the last hour of/ }).click();
    await seen.isLoaded();
    await expect(seen.loading).toContainText('your role spends nothing on the past');
    await seen.windowButton.click();
    await expect(screen.getByRole('dialog', { name: 'Window of the replay' })).toContainText(why);
    await screen.keyboard.press('Escape');
    await seen.button('Back to live').click();
    expect(await spent()).toBe(all);

    await lookout.service.breakWith({ kind: 'status', status: 403, operation: 'live_rid' });
    const panel = new AllowancePanel(screen);
    await screen.getByRole('switch', { name: 'Drones layer' }).click();
    await panel.opens();
    await expect(panel.problems).toContainText(
      'It is checked again by itself. Your role may not have it checked sooner.',
    );
    await expect(panel.checkAgain).toHaveCount(0);
  });
  await screen.close();
});
