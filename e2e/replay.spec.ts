import { bboxContains } from '#lib/geo/bbox.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { withoutEdge } from './driver/answers-seen.ts';
import { historyOpened } from './driver/history-opened.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { addressTime, iso, pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';
import { type PassedAnswer, startListeningProxy } from './running/listening-proxy.ts';
import type { RunningService } from './running/running-service.ts';

async function requestsForThePast(service: RunningService) {
  return (await service.requests()).filter(({ operation }) => operation.startsWith('history'));
}

test('R replays the last hour at a quoted price and returns to live; a cheap replay loads by itself; the bar moves by dragging and by wheel', async ({
  operator,
  service,
  sharedLookout,
  page,
}) => {
  const dock = new ReplayDock(page);
  const inAddress = (name: string) => new URL(page.url()).searchParams.get(name) ?? '';
  const madeForThePast = () => requestsForThePast(service);

  await test.step('a replay whose price is small loads by itself, with its lead-in, and shows a whole first picture', async () => {
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
    const made = await madeForThePast();
    expect(made.length).toBeGreaterThan(0);
    expect(made.length).toBeLessThanOrEqual(25);
    await service.forgetRequests();
  });

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

  await test.step('R replays the last hour', async () => {
    await expect(frame).toHaveCSS('border-top-width', '0px');
    await page.keyboard.press('r');
    await expect(dock.plate).toHaveText(/^REPLAY\s\d\d:\d\d:00Z\s· /);
    await expect(frame).not.toHaveCSS('border-top-width', '0px');
    const amber = await dock.plate.evaluate((plate) => getComputedStyle(plate).backgroundColor);
    await expect(frame).toHaveCSS('border-top-color', amber);
    await expect(page).toHaveTitle('Replay · Lookout');
    await expect(dock.button(/^Load 1 h \((≈|at least) \d+ requests?, max\. \d+\)$/)).toBeVisible();
    await expect(operator.state('Aircraft')).toHaveText('Aircraft: not loaded at this time');
    expect(await madeForThePast()).toEqual([]);
    expect(operator.viewInAddress()).toEqual(view);
    await expect.poll(() => Date.parse(inAddress('to')) - Date.parse(inAddress('from'))).toBe(60 * MINUTE_MS);
    expect(inAddress('sel')).toBe(reference);
  });

  const left = inAddress('from');
  await test.step('R again returns to live', async () => {
    await page.keyboard.press('r');
    await expect(dock.dock).toHaveCount(0);
    await expect(dock.plate).toHaveCount(0);
    await expect(frame).toHaveCSS('border-top-width', '0px');
    await expect(page).toHaveTitle('Live map · Lookout');
    await expect(operator.state('Aircraft')).toHaveText(/up to date/);
    expect(operator.viewInAddress()).toEqual(view);
    expect(await operator.tracks.selectedReference()).toBe(reference);
    await expect.poll(() => new URL(page.url()).searchParams.has('from')).toBe(false);
  });

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

  await test.step('the bar moves by dragging and by wheel, and shows the time under the pointer', async () => {
    const startMs = Date.parse(inAddress('from'));
    const [from, to] = [await dock.pointAt(0.2), await dock.pointAt(0.7)];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 5 });
    await expect(page.getByTestId('timeline-hover')).toContainText(iso(startMs + 10.5 * MINUTE_MS).slice(11, 16));
    await expect(page.getByTestId('timeline-hover')).toContainText('Aircraft complete');
    await page.mouse.up();
    await expect.poll(() => dock.shownAtMs()).toBeGreaterThan(startMs + 10.4 * MINUTE_MS);
    const before = await dock.shownAtMs();
    await page.mouse.wheel(0, -300);
    await expect.poll(() => dock.shownAtMs()).toBeLessThan(before - 20_000);
  });
});

test('A link opens the same window, time, speed, layers and track in another browser, where what was loaded before costs nothing', async ({
  browser,
  page,
  service,
  sharedLookout,
}) => {
  const proxy = await startListeningProxy(sharedLookout.url);
  const operator = new LookoutDriver(page, proxy.url);
  const dock = new ReplayDock(page);
  const window = pastWindow(10, 26 * 60);
  const targetMs = window.start + 4 * MINUTE_MS;
  await dock.asksFirst();
  await operator.goesTo(replayPath(window));
  await dock.loads();
  await dock.isLoaded();

  await test.step('every record that the server sent is on the page, once', async () => {
    const [load] = proxy.answers('/api/history') as [PassedAnswer];
    const sent = await historyOpened(load.body);
    const observations = sent.filter(({ observedAtMs }) => observedAtMs >= window.start);
    expect(observations.length).toBeGreaterThan(100);
    expect(new Set(sent.map(({ ref, observedAtMs }) => `${ref} ${observedAtMs}`)).size).toBe(sent.length);
    expect(await dock.observations('Aircraft')).toBe(observations.length);
    const whole = { start: iso(window.start), end: iso(window.end) };
    expect(await dock.band('Aircraft')).toEqual([{ state: 'complete', ...whole }]);

    await page.mouse.click((await dock.pointAt(0.4)).x, (await dock.pointAt(0.4)).y);
    await expect.poll(() => dock.shownAtMs()).toBeGreaterThan(targetMs - 5000);
    const shownAtMs = await dock.shownAtMs();
    // The shown time is cut to whole seconds.
    const recent = sent.filter(({ observedAtMs }) => {
      const ageMs = shownAtMs - observedAtMs;
      return ageMs >= 0 && ageMs < MINUTE_MS - 1000;
    });
    const latest = new Map<string, (typeof recent)[number]>();
    for (const each of recent.toSorted((one, other) => one.observedAtMs - other.observedAtMs))
      latest.set(each.ref, each);
    const inView = async () => {
      const view = withoutEdge(await operator.boxInView());
      return [...latest.values()].filter(({ lon, lat }) => bboxContains(view, lon, lat)).length;
    };
    expect(await inView()).toBeGreaterThan(0);
    await expect.poll(() => operator.marksDrawn(), 'drawn, also outside the view').toBeGreaterThanOrEqual(latest.size);
    await expect.poll(() => operator.tracks.received(), 'counted').toBeGreaterThanOrEqual(await inView());
    await expect(operator.state('Aircraft')).toHaveText('Aircraft: fully loaded');
  });

  await page.keyboard.press(']');
  const reference = await operator.tracks.selectsFirst();
  await expect.poll(() => new URL(page.url()).searchParams.get('sel')).toBe(reference);
  await expect.poll(() => new URL(page.url()).searchParams.get('speed')).toBe('2');
  const link = new URL(page.url());
  const spent = (await requestsForThePast(service)).length;
  await test.step('the live picture is not requested during a replay', async () => {
    expect(operator.answers.requestCount).toBe(0);
  });

  await test.step('the same in another browser', async () => {
    const elsewhere = await browser.newPage();
    const opened = new LookoutDriver(elsewhere, sharedLookout.url);
    await opened.goesTo(`${link.pathname}${link.search}`);
    const other = new ReplayDock(elsewhere);
    // The quote is 0, so it loads without confirmation.
    await other.isLoaded();
    await expect(other.loading).toHaveText('Complete · 0 requests made');
    expect((await requestsForThePast(service)).length).toBe(spent);
    expect(await other.shownAtMs()).toBe(await dock.shownAtMs());
    expect(await other.observations('Aircraft')).toBe(await dock.observations('Aircraft'));
    expect(await opened.tracks.selectedReference()).toBe(reference);
    await expect(other.button('2×: speed. Change')).toBeVisible();
    await expect(opened.state('Drones')).toHaveText('Drones: layer is off, not loaded');
    await elsewhere.close();
  });

  await test.step('to a time beyond any history says so, sends no request, and offers the place live', async () => {
    const start = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 40 * 86_400_000;
    await operator.goesTo(replayPath({ start, end: start + 10 * MINUTE_MS }));
    await expect(dock.loading).toHaveText('This starts more than 30 days ago; no history goes back that far.');
    expect((await requestsForThePast(service)).length).toBe(spent);
    await dock.button('Show this place live').click();
    await operator.seesPositions();
    expect(operator.viewInAddress()).toEqual({ lat: 46.9, lon: 8.2, zoom: 8 });
  });
  proxy.stop();
});
