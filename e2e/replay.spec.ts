import { MINUTE_MS } from '#lib/time/time-units.ts';
import { addressTime, iso, pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
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
    // At an edge it would be moved into view, away from the replay bar.
    await operator.tracks.centres();
    await expect.poll(() => operator.viewInAddress()).not.toEqual({ lat: 46.9, lon: 8.2, zoom: 8 });
    const view = operator.viewInAddress();
    const canvas = await page.getByTestId('map').locator('canvas').elementHandle();
    const frame = page.getByRole('main');
    await expect(frame).toHaveCSS('border-top-width', '0px');
    await page.keyboard.press('r');
    // Shortly after midnight the replay begins on the day before, and says so.
    await expect(dock.plate).toHaveText(/^REPLAY (\d{4}-\d\d-\d\d )?\d\d:\d\d:00Z · /);
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
  // How many requests are left is known from the first answer on, and without it a replay asks first.
  await page.request.get(`${sharedLookout.url}/api/live?bbox=8,46,9,47&layers=adsb`);
  // Of yesterday, which no other test loads.
  const { start, end } = pastWindow(2, 24 * 60);
  await operator.goesTo(`/?view=46.9,8.2,9&layers=adsb&from=${addressTime(start)}&to=${addressTime(end)}`);
  await dock.isLoaded();
  await expect(dock.loading).toHaveText(/^Complete · \d+ requests? made$/);
  await expect(dock.leadIn('Aircraft')).toHaveAttribute('data-state', 'complete');
  // The first picture is whole, and there is one.
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
    // A track of the start may have been received before the window alone, and at any other moment any track may be silent.
    await expect(async () => {
      await operator.tracks.selectsFirst();
      await page.getByRole('button', { name: /^First seen / }).click({ timeout: 1000 });
    }).toPass();
    const current = /Received (\d+) s ago · expires in (\d+) s/;
    const ageText = page.getByTestId('track-age');
    await expect(ageText).toHaveText(current);
    const [, age, left] = current.exec(await ageText.innerText()) ?? [];
    // Both are rounded down to whole seconds.
    expect(Number(age) + Number(left)).toBeGreaterThanOrEqual(43);
    expect(Number(age) + Number(left)).toBeLessThanOrEqual(45);
  });
});

test.describe('The replay bar', () => {
  test('moves by key, by dragging and by wheel, and to where a track was seen; opens a typed window', async ({
    operator,
    page,
  }) => {
    const dock = new ReplayDock(page);
    const window = pastWindow(10);
    await operator.goesTo(replayPath(window));
    await dock.loadsFully();

    await test.step('plays, pauses, steps and jumps by key', async () => {
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Shift+ArrowRight');
      await expect.poll(() => dock.shownAtMs()).toBe(window.start + 11_000);
      await page.keyboard.press('ArrowLeft');
      await expect.poll(() => dock.shownAtMs()).toBe(window.start + 10_000);
      await page.keyboard.press('End');
      await expect.poll(() => dock.shownAtMs()).toBe(window.end);
      await page.keyboard.press('Home');
      await expect.poll(() => dock.shownAtMs()).toBe(window.start);
      for (const speed of [2, 4, 5, 10, 20, 30]) {
        await page.keyboard.press(']');
        await expect(dock.button(`${speed}×: speed. Change`)).toBeVisible();
      }
      await page.keyboard.press('[');
      await page.keyboard.press(' ');
      await expect(dock.button('Pause')).toBeVisible();
      await expect.poll(() => dock.shownAtMs()).toBeGreaterThan(window.start + 10_000);
      await page.keyboard.press(' ');
      await expect(dock.button('Play')).toBeVisible();
      expect(operator.viewInAddress()).toEqual({ lat: 46.9, lon: 8.2, zoom: 8 });
    });

    await test.step('A focused list handles its keys, even while it is empty: a replay stays where it is', async () => {
      await page.keyboard.press('Home');
      await expect.poll(() => dock.shownAtMs()).toBe(window.start);
      await operator.tracks.search.fill('no such reference');
      await expect(operator.tracks.rows).toHaveCount(0);
      await operator.tracks.table.focus();
      for (const key of ['End', 'Home', 'PageDown', ' ']) await page.keyboard.press(key);
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => dock.shownAtMs()).toBe(window.start + 1000);
      await operator.tracks.search.fill('');
      await operator.tracks.search.blur();
    });

    await test.step('moves by dragging and by wheel, and shows the time under the pointer', async () => {
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

    await test.step('a track has buttons that seek to its first and last position in the window', async () => {
      const middle = await dock.pointAt(0.5);
      await page.mouse.click(middle.x, middle.y);
      await operator.tracks.selectsFirst();
      const chart = page.getByTestId('track-chart');
      await expect(chart).toHaveAccessibleName(/Altitude|Height/);
      for (const seen of [/^First seen /, /^Last seen /]) {
        const button = page.getByRole('button', { name: seen });
        const [time = ''] = /\d\d:\d\d:\d\dZ/.exec(await button.innerText()) ?? [];
        await button.click();
        await expect.poll(async () => iso(await dock.shownAtMs()).slice(11, 19)).toBe(time.slice(0, 8));
      }
      await page.keyboard.press('Escape');
    });

    await test.step('opens a typed window, and says what is wrong with an invalid one', async () => {
      await dock.windowButton.click();
      const picker = page.getByRole('dialog', { name: 'Window of the replay' });
      const yesterday = iso(Date.now() - 86_400_000).slice(0, 10);
      await picker.getByLabel('Day, UTC').fill(yesterday);
      await picker.getByLabel('From, UTC').fill('10:04');
      await picker.getByLabel('To, UTC').fill('10:04');
      await picker.getByRole('button', { name: 'Open this window' }).click();
      await expect(picker.getByRole('alert')).toHaveText(/^Start and end are the same/);
      await picker.getByLabel('To, UTC').fill('10:14:30');
      await picker.getByRole('button', { name: 'Open this window' }).click();
      await expect(dock.windowButton).toContainText('10:04Z–10:14:30Z');
      await expect(dock.plate).toHaveText(new RegExp(`^REPLAY ${yesterday} 10:04:00Z`));
      await expect.poll(() => new URL(page.url()).searchParams.get('to')).toBe(`${yesterday}T10:14:30Z`);
    });
  });

  test('offers the middle or tiles of a view that is too wide for one load, each with its price', async ({
    operator,
    page,
  }) => {
    const dock = new ReplayDock(page);
    await dock.asksFirst();
    const { start, end } = pastWindow(5);
    await operator.goesTo(`/?view=46.9,8.2,6&layers=rid&from=${addressTime(start)}&to=${addressTime(end)}`);
    await expect(dock.button(/^Load all in \d+ tiles \((at least|≈) \d+ requests?, max\. \d+\)$/)).toBeVisible();
    await dock.button(/^Load .+ around the map centre \(5° × 5°\) \((at least|≈) \d+ requests?, max\. \d+\)$/).click();
    await dock.isLoaded();
    await expect(operator.notice('capped')).toHaveText('Only the framed area is loaded.');
  });
});
