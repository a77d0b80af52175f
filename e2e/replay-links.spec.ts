import { MINUTE_MS } from '#lib/time/time-units.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';

test.describe('A link', () => {
  test('opens the same window, time, speed, layers and track after signing in; what was loaded before costs nothing', async ({
    startDesk,
    page,
    browser,
  }) => {
    const { lookout } = await startDesk({ operators: ['tower@airfield', 'desk@airfield'] });
    const [sender, receiver] = lookout.operators as [(typeof lookout.operators)[0], (typeof lookout.operators)[0]];
    const window = pastWindow(10);
    const targetMs = window.start + 4 * MINUTE_MS;
    const signIn = new SignInDriver(page, lookout.url);
    await new ReplayDock(page).asksFirst();
    await signIn.opens(replayPath(window));
    await signIn.submits(sender);
    const operator = signIn.asOperator();
    const dock = new ReplayDock(page);
    await dock.loads();
    await dock.isLoaded();
    await page.mouse.click((await dock.pointAt(0.4)).x, (await dock.pointAt(0.4)).y);
    await expect.poll(() => dock.shownAtMs()).toBeGreaterThan(targetMs - 5000);
    await page.keyboard.press(']');
    const reference = await operator.tracks.selectsFirst();
    await expect.poll(() => new URL(page.url()).searchParams.get('sel')).toBe(reference);
    await expect.poll(() => new URL(page.url()).searchParams.get('speed')).toBe('2');
    const link = new URL(page.url());
    const spent = (await lookout.service.requests()).length;
    await test.step('the live picture is not requested during a replay', async () => {
      expect(await lookout.service.requestsFor('live_adsb')).toEqual([]);
    });

    const elsewhere = await browser.newPage();
    const otherSignIn = new SignInDriver(elsewhere, lookout.url);
    await otherSignIn.opens(`${link.pathname}${link.search}`);
    await otherSignIn.submits(receiver);
    const other = new ReplayDock(elsewhere);
    // The quote is 0, so it loads without confirmation.
    await other.isLoaded();
    await expect(other.loading).toHaveText('Complete · 0 requests made');
    expect((await lookout.service.requests()).length).toBe(spent);
    expect(await other.shownAtMs()).toBe(await dock.shownAtMs());
    expect(await other.observations('Aircraft')).toBe(await dock.observations('Aircraft'));
    const opened = new LookoutDriver(elsewhere, lookout.url);
    expect(await opened.tracks.selectedReference()).toBe(reference);
    await expect(other.button('2×: speed. Change')).toBeVisible();
    await expect(opened.state('Drones')).toHaveText('Drones: layer is off, not loaded');
    await elsewhere.close();

    await test.step('to a time beyond any history says so, sends no request, and offers the place live', async () => {
      const start = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 40 * 86_400_000;
      await operator.goesTo(replayPath({ start, end: start + 10 * MINUTE_MS }));
      await expect(dock.loading).toHaveText('This starts more than 30 days ago; no history goes back that far.');
      expect((await lookout.service.requests()).length).toBe(spent);
      await dock.button('Show this place live').click();
      await operator.seesPositions();
      expect(operator.viewInAddress()).toEqual({ lat: 46.9, lon: 8.2, zoom: 8 });
    });
  });
});
