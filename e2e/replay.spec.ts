import { MINUTE_MS } from '#lib/time/time-units.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { addressTime, iso, pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';

test.describe('Entering and leaving', () => {
  test('R replays the last hour of the same view and quotes its price before any request; R again returns to live', async ({
    operator,
    service,
    page,
  }) => {
    const dock = new ReplayDock(page);
    await dock.asksFirst();
    await operator.watches('/?view=46.9,8.2,8&layers=adsb');
    await page.getByRole('tab', { name: 'View' }).click();
    await expect(page.getByTestId('last-hour-price')).toHaveText(/^Costs (≈|at least) \d+ requests?, max\. \d+\.$/);
    await page.getByRole('tab', { name: 'Tracks' }).click();
    const reference = await operator.tracks.selectsFirst();
    // At an edge it would be moved into view.
    await operator.tracks.centres();
    await expect.poll(() => operator.viewInAddress()).not.toEqual({ lat: 46.9, lon: 8.2, zoom: 8 });
    const view = operator.viewInAddress();
    const canvas = await page.getByTestId('map').locator('canvas').elementHandle();
    const frame = page.getByRole('main');
    await expect(frame).toHaveCSS('border-top-width', '0px');
    await page.keyboard.press('r');
    await expect(dock.plate).toHaveText(/^REPLAY\s\d\d:\d\d:00Z\s· /);
    await expect(frame).not.toHaveCSS('border-top-width', '0px');
    const amber = await dock.plate.evaluate((plate) => getComputedStyle(plate).backgroundColor);
    await expect(frame).toHaveCSS('border-top-color', amber);
    await expect(page).toHaveTitle(/^Replay/);
    await expect(dock.button(/^Load 1 h \((≈|at least) \d+ requests?, max\. \d+\)$/)).toBeVisible();
    await expect(operator.state('Aircraft')).toHaveText('Aircraft: not loaded at this time');
    const historyRequests = (await service.requests()).filter(({ operation }) => operation.startsWith('history'));
    expect(historyRequests).toEqual([]);
    expect(operator.viewInAddress()).toEqual(view);
    const inAddress = (name: string) => new URL(page.url()).searchParams.get(name) ?? '';
    await expect.poll(() => Date.parse(inAddress('to')) - Date.parse(inAddress('from'))).toBe(60 * MINUTE_MS);
    expect(inAddress('sel')).toBe(reference);

    const left = inAddress('from');
    await page.keyboard.press('r');
    await expect(dock.dock).toHaveCount(0);
    await expect(dock.plate).toHaveCount(0);
    await expect(frame).toHaveCSS('border-top-width', '0px');
    await expect(page).toHaveTitle('Lookout');
    await expect(operator.state('Aircraft')).toHaveText(/up to date/);
    expect(operator.viewInAddress()).toEqual(view);
    expect(await operator.tracks.selectedReference()).toBe(reference);
    await expect.poll(() => new URL(page.url()).searchParams.has('from')).toBe(false);

    await test.step('Back returns to the replay that R left, and Forward to live, with what the map shows by then', async () => {
      await page.goBack();
      await expect(dock.plate).toBeVisible();
      expect(inAddress('from')).toBe(left);
      expect(await operator.tracks.selectedReference()).toBe(reference);
      await page.keyboard.press('+');
      await expect.poll(() => operator.viewInAddress()?.zoom).toBe(9);
      await page.goForward();
      await expect(dock.dock).toHaveCount(0);
      await expect.poll(() => new URL(page.url()).searchParams.has('from')).toBe(false);
      const back = operator.viewInAddress();
      expect(back?.zoom).toBe(9);
      expect(back?.lat).toBeCloseTo(view?.lat ?? Number.NaN, 2);
      expect(back?.lon).toBeCloseTo(view?.lon ?? Number.NaN, 2);
    });

    await test.step('the map is the same one all the time', async () => {
      expect(await canvas?.evaluate((element) => element.isConnected)).toBe(true);
      await expect(page.getByTestId('map').locator('canvas')).toHaveCount(1);
    });

    await test.step('two clicks show the last 15 minutes, at the price on the button', async () => {
      await operator.button('Replay').click();
      await dock.button(/^Load the last 15 min \((≈|at least) \d+ requests?, max\. \d+\)$/).click();
      await dock.isLoaded();
      await expect.poll(() => Date.parse(inAddress('to')) - Date.parse(inAddress('from'))).toBe(15 * MINUTE_MS);
    });
  });
});

test('A replay whose price is small loads by itself, with its lead-in, and shows a whole first picture', async ({
  operator,
  service,
  sharedLookout,
  page,
}) => {
  const dock = new ReplayDock(page);
  // Requests left are known from the first answer on; before, a replay asks first.
  await page.request.get(`${sharedLookout.url}/api/live?bbox=8,46,9,47&layers=adsb`);
  // No other test loads yesterday.
  const { start, end } = pastWindow(2, 24 * 60);
  await operator.goesTo(`/?view=46.9,8.2,9&layers=adsb&from=${addressTime(start)}&to=${addressTime(end)}`);
  await dock.isLoaded();
  await expect(dock.loading).toHaveText(/^Complete · \d+ requests? made$/);
  await expect(dock.leadIn('Aircraft')).toHaveAttribute('data-state', 'complete');
  await expect(operator.state('Aircraft')).toHaveText('Aircraft: fully loaded');
  expect(await operator.tracks.received()).toBeGreaterThan(0);
  const made = (await service.requests()).filter(({ operation }) => operation === 'history_adsb');
  expect(made.length).toBeGreaterThan(0);
  expect(made.length).toBeLessThanOrEqual(25);
});

test.describe('A track in a replay', () => {
  test('has the time to live learnt from the live picture, even if a link is opened without it', async ({
    operator,
    page,
  }) => {
    await operator.watches('/?view=46.9,8.2,8&layers=rid');
    const storedTtl = () => page.evaluate(() => window.localStorage.getItem('lookout.time-to-live') ?? '');
    await expect.poll(storedTtl).toContain('"drone":45000');
    const dock = new ReplayDock(page);
    const { start, end } = pastWindow(10);
    await operator.goesTo(`/?view=46.9,8.2,8&layers=rid&from=${addressTime(start)}&to=${addressTime(end)}`);
    await dock.loadsFully();
    const middle = await dock.pointAt(0.5);
    await page.mouse.click(middle.x, middle.y);
    // Any track may be silent at a moment.
    await expect(async () => {
      await operator.tracks.selectsFirst();
      await page.getByRole('button', { name: /^First seen / }).click({ timeout: 1000 });
    }).toPass();
    const current = /Received (\d+) s ago · expires in (\d+) s/;
    const ageText = page.getByTestId('track-age');
    await expect(ageText).toHaveText(current);
    const [, age, left] = current.exec(await ageText.innerText()) ?? [];
    expect(Number(age) + Number(left)).toBeGreaterThanOrEqual(43);
    expect(Number(age) + Number(left)).toBeLessThanOrEqual(45);
  });
});

test('The replay bar moves by dragging and by wheel, and shows the time under the pointer', async ({
  operator,
  page,
}) => {
  const dock = new ReplayDock(page);
  const window = pastWindow(10);
  await operator.goesTo(replayPath(window));
  await dock.loadsFully();
  const [from, to] = [await dock.pointAt(0.2), await dock.pointAt(0.7)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await expect(page.getByTestId('timeline-hover')).toContainText(iso(window.start + 7 * MINUTE_MS).slice(11, 16));
  await expect(page.getByTestId('timeline-hover')).toContainText('Aircraft complete');
  await page.mouse.up();
  await expect.poll(() => dock.shownAtMs()).toBeGreaterThan(window.start + 6.9 * MINUTE_MS);
  const before = await dock.shownAtMs();
  await page.mouse.wheel(0, -300);
  await expect.poll(() => dock.shownAtMs()).toBeLessThan(before - 20_000);
});

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
