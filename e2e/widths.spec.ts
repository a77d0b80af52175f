import type { Locator } from '@playwright/test';
import { alarmOf, ZONE_ID } from '#lib/client/alarms/alarm.fixture.ts';
import { incidentOf } from '#lib/client/incidents/incident.fixture.ts';
import { FilterPanel } from './driver/filter-panel.ts';
import { barProblems, dockProblems, expectsNoLayoutProblems } from './driver/layout-problems.ts';
import { pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { TrackTable } from './driver/track-table.ts';
import { expect, hidesHints, test } from './lookout-test.ts';

/** The simulator always flies an air ambulance here. */
const EUROPE = '/?view=47,8,5.5';

test.use({ firstVisit: true });

test('At every width nothing is cut, covered or over the map: live, with a selected track, and in a replay; headers of the table do not touch', async ({
  operator,
  page,
}) => {
  const walks = () => expectsNoLayoutProblems(page);
  const dock = new ReplayDock(page);
  const table = new TrackTable(page);
  await dock.asksFirst();
  await operator.watches(EUROPE);
  await test.step('the hints of a first visit cover nothing', async () => {
    const hints = page.getByTestId('hints');
    await expect(hints).toContainText('Hint 1 of 4');
    const [strip, map] = [await hints.boundingBox(), await page.getByTestId('map').boundingBox()];
    expect((strip?.y ?? 0) + (strip?.height ?? 0)).toBeLessThanOrEqual(map?.y ?? 0);
    await hints.getByRole('button', { name: 'Dismiss all hints' }).click();
    await expect(hints).toHaveCount(0);
  });
  await test.step('live', walks);
  await test.step('the bar has words from 1280 pixels on', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const word of ['Aircraft', 'Drones', 'Share'])
      await expect(page.getByRole('banner').getByText(word, { exact: true }).first()).toBeVisible();
  });

  await test.step('with a selected track, which on a phone is above the sheet and named by it', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect(operator.emergencies).toBeVisible();
    await page.keyboard.press('e');
    await expect(operator.tracks.card).toContainText(/, as reported/);
    for (const value of ['Altitude', 'Height', 'Ground speed', 'Heading', 'Position', 'From home'])
      await expect(operator.tracks.card.locator('dt', { hasText: new RegExp(`^${value}`) })).toBeInViewport({
        ratio: 1,
      });
    await expect(page.getByTestId('track-age')).toBeInViewport({ ratio: 1 });
    await walks();
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(operator.sheet).toContainText(
      /GENERAL EMERGENCY|LIFEGUARD|MINIMUM FUEL|NO COMMUNICATIONS|UNLAWFUL INTERFERENCE|DOWNED AIRCRAFT|EMERGENCY/,
    );
    const place = await operator.tracks.place();
    const map = await page.getByTestId('map').boundingBox();
    const mark = await operator.pointOf(place);
    expect(mark.y).toBeLessThan((map?.y ?? 0) + (map?.height ?? 0));
    await page.keyboard.press('Escape');
  });

  await test.step('No header of the table touches the next, in feet and miles an hour, sorted by two columns', async () => {
    await page.setViewportSize({ width: 1280, height: 640 });
    await table.opensOptions();
    await table.columnBox('Distance in km from the middle of the map').check();
    await table.columnBox('Heading in degrees from north').uncheck();
    await page.keyboard.press('Escape');
    await operator.tracks.sortsBy(/^Altitude/);
    await table.header(/^Ground speed/).focus();
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('u');
    await page.keyboard.press('u');
    expect(await table.headers()).toContain('mph');
    await expect.poll(() => table.touchingHeaders()).toEqual([]);
  });

  await test.step('a compact row is as high as it says', async () => {
    await table.opensOptions();
    await page.getByRole('radio', { name: 'Compact' }).click();
    await page.keyboard.press('Escape');
    await expect.poll(async () => (await operator.tracks.rows.first().boundingBox())?.height).toBe(24);
  });

  await test.step('on a phone head and rows of the table scroll sideways together, and the page does not', async () => {
    // Its fields make the table wider than the screen.
    await operator.button('Filter row').click();
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(operator.sheet, 'raised by the selected track').toHaveAttribute('data-stop', 'half');
    await expect(operator.tracks.rows).not.toHaveCount(0);
    const before = await table.offsets('Age');
    await table.scrollsSideways(120);
    const after = await table.offsets('Age');
    expect(after.cell - before.cell).toBeCloseTo(-120, 0);
    expect(after.header - before.header).toBeCloseTo(-120, 0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.setViewportSize({ width: 1280, height: 800 });
    await operator.button('Filter row').click();
  });

  await test.step('in a replay, before it is loaded', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    for (let press = 0; press < 3; press++) await page.keyboard.press('+');
    await expect.poll(() => operator.viewInAddress()?.zoom).toBeGreaterThan(7.5);
    await page.keyboard.press('r');
    await expect(dock.loading).toHaveAttribute('data-loading', 'quoted');
    await walks();
  });

  await test.step('in a replay', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await dock.loadsLastQuarter();
    await walks();
  });

  await test.step('a replay leaves most of the height to the map, and its list is in the panel', async () => {
    const heightOf = async (part: Locator) => (await part.boundingBox())?.height ?? Number.NaN;
    for (const [width, height] of DOCK_SIZES) {
      await page.setViewportSize({ width, height });
      await expect.poll(() => dockProblems(page), `${width} × ${height}`).toEqual([]);
      await expect.poll(() => heightOf(page.getByTestId('map'))).toBeGreaterThan(height * 0.4);
    }
    await expect(page.getByTestId('lane-adsb')).toHaveCSS('height', '40px');
    await page.getByRole('tab', { name: /Tracks in this window/ }).click();
    const list = await page.getByTestId('window-tracks').boundingBox();
    const bar = await dock.dock.boundingBox();
    expect(list?.x ?? 0).toBeGreaterThanOrEqual((bar?.x ?? 0) + (bar?.width ?? 0));
    expect(await dockProblems(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Timeline' }).click();
  });

  await test.step('in a replay of another day, in local time', async () => {
    await dock.prefers({ zone: 'local' });
    await operator.goesTo(replayPath(pastWindow(15, 25 * 60)));
    await expect(dock.plate).toHaveText(/^REPLAY\s\d{4}-\d\d-\d\d\s.*[+-]\d\d:\d\d\s·\s25\sh/);
    await walks();
  });
});

test('In every state the bar of a replay takes a third of the height at most, with two lines on a button and no sentence cut', async ({
  operator,
  page,
}) => {
  const dock = new ReplayDock(page);
  await dock.asksFirst();
  const fits = async () => {
    for (const [width, height] of DOCK_SIZES) {
      await page.setViewportSize({ width, height });
      await expect.poll(() => dockProblems(page), `${width} × ${height}`).toEqual([]);
    }
  };
  const priced = (expected: number, maxRequests: number, boxes = 1) => ({
    expected,
    known: false,
    max_requests: maxRequests,
    boxes: Array.from({ length: boxes }, () => [7, 46, 9, 48]),
  });
  let cost: object | 'held' | 'refused' = 'held';
  await page.route('**/api/history/cost?*', async (route) => {
    if (cost === 'held') return;
    if (cost === 'refused') return route.fulfill({ status: 500, json: {} });
    const asked = new URL(route.request().url()).searchParams;
    const window = { as_of: new Date().toISOString(), start: asked.get('start'), end: asked.get('end') };
    await route.fulfill({ json: { ...window, tiles: null, wide: false, has_allowance: true, left: 3000, ...cost } });
  });
  const shows = async (answer: typeof cost, state: string | RegExp) => {
    cost = answer;
    await operator.goesTo(replayPath(pastWindow(60, 1)).replace('layers=adsb&', ''));
    await expect(dock.loading).toHaveAttribute('data-loading', state);
    await fits();
  };

  await test.step('while it asks for the price', () => shows('held', 'quoting'));
  await test.step('where the price is refused', () => shows('refused', 'refused'));
  await test.step('with a wide area and two long prices', async () => {
    await shows({ middle: priced(1450, 2900), wide: true, tiles: priced(17_400, 34_800, 12) }, 'quoted');
    await expect(dock.button(/^Load all in 12 tiles/)).toBeVisible();
  });
  await test.step('with a long price, and that of its last minutes', async () => {
    await shows({ middle: priced(1450, 2900) }, 'quoted');
    await expect(dock.button(/^Load the last 15 min/)).toBeVisible();
  });
  await test.step('while it loads', async () => {
    await page.route('**/api/history?*', () => undefined);
    await dock.button(/^Load 1 h/).click();
    await expect(dock.loading).toHaveAttribute('data-loading', 'loading');
    await fits();
    await page.unroute('**/api/history?*');
  });
  await test.step('where it may request nothing, and all is missing', async () => {
    await shows({ middle: priced(1450, 0) }, 'done');
    await expect(dock.loading).toContainText(/\d+ min of aircraft missing/);
    await expect(dock.button('Load')).toBeVisible();
  });
});

/** Phones upright and on their side, a low window, a desk. */
const DOCK_SIZES = [
  [320, 568],
  [390, 844],
  [667, 375],
  [844, 390],
  [1024, 768],
  [1280, 640],
  [1440, 900],
] as const;

/** A phone, a laptop, a desk, a wall. */
const WHOLE_SIZES = [
  [390, 844],
  [1280, 800],
  [1440, 900],
  [1920, 1080],
] as const;

const BAR_SIZES = [
  [320, 568],
  [390, 844],
  [640, 480],
  [768, 1024],
  [1024, 768],
  [1280, 800],
  [1440, 900],
  [1920, 1080],
] as const;

test('The bar keeps its height, and nothing in it wraps or leaves its box, with everything on at once: alarms come first and keep number and kind', async ({
  operator,
  page,
}) => {
  const heights = async () => {
    const measured: number[] = [];
    for (const [width, height] of BAR_SIZES) {
      await page.setViewportSize({ width, height });
      measured.push((await page.getByRole('banner').boundingBox())?.height ?? 0);
    }
    return measured;
  };
  const looks = async () => {
    for (const [width, height] of BAR_SIZES) {
      await page.setViewportSize({ width, height });
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        await expect.poll(() => barProblems(page), `${width} × ${height}, ${colorScheme}`).toEqual([]);
      }
    }
    await page.emulateMedia({ colorScheme: 'dark' });
  };

  await operator.watches(EUROPE);
  const atRest = await heights();
  await test.step('at rest', looks);

  await page.addInitScript(() => {
    const seen = { homeArea: { west: -1.5, south: 51, east: 1, north: 52 }, hintsSeen: [] };
    window.localStorage.setItem('lookout.preferences', JSON.stringify(seen));
  });
  const zone = { id: ZONE_ID, name: 'Runway 14/32 of the northern field, with its approaches', revision: 1 };
  const alarms = [1, 2, 3, 4].map((number) => alarmOf(number, { zone, simulated: true }));
  await page.route('**/api/alarms?*', async (route) => {
    // Later requests wait for a change.
    if (!route.request().url().includes('&wait=')) await route.fulfill({ json: { alarms, next: '1' } });
  });
  await page.route('**/api/incidents', (route) => route.fulfill({ json: { incidents: [incidentOf(14)] } }));
  await operator.watches(`${EUROPE}&alt=..12000`);
  const chip = page.getByTestId('chip-alarms');
  await expect(chip).toHaveAccessibleName(`4 new alarms · SIM Drone in ${zone.name}`);
  await expect(page.getByTestId('home-chip')).toBeVisible();
  await expect(operator.emergencies).toBeVisible();
  await expect(page.getByTestId('chip-incidents')).toContainText('014');
  await page.context().setOffline(true);
  await expect(operator.notice('offline')).toBeVisible();
  await page.context().setOffline(false);
  await test.step('with alarms, an incident, emergencies, home area, filter, hints and notices', async () => {
    expect(await heights()).toEqual(atRest);
    await looks();
    await expectsNoLayoutProblems(page, WHOLE_SIZES);
    for (const [width, height] of BAR_SIZES) {
      await page.setViewportSize({ width, height });
      await expect(page.getByTestId('clock'), 'no count hides the clock').toBeInViewport({ ratio: 1 });
    }
  });

  await test.step('the whole name of the zone is one focus away', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await chip.focus();
    await expect(page.getByRole('tooltip')).toContainText(zone.name);
    await page.keyboard.press('Escape');
  });

  await test.step('in a replay', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('r');
    await expect(new ReplayDock(page).plate).toBeVisible();
    await expect(chip).toContainText('4 new');
    expect(await heights()).toEqual(atRest);
    await looks();
    await expectsNoLayoutProblems(page, WHOLE_SIZES);
  });

  await test.step('on another page', async () => {
    await operator.goesTo('/overview');
    await expect(chip).toHaveAccessibleName(`4 new alarms · SIM Drone in ${zone.name}`);
    const navigated = { hasNavigation: true };
    for (const [width, height] of BAR_SIZES) {
      await page.setViewportSize({ width, height });
      expect((await page.getByRole('banner').boundingBox())?.height).toBe(atRest[0]);
      await expect.poll(() => barProblems(page, navigated), `${width} × ${height}`).toEqual([]);
    }
  });
});

test('A filter is in sight for as long as it filters, and a failure is a red line of its own that moves nothing', async ({
  operator,
  page,
}) => {
  const panel = new FilterPanel(page);
  // A hint that ends gives its line to the map.
  await hidesHints(page.context());
  const mapBox = () => page.getByTestId('map').boundingBox();
  for (const [width, height] of WHOLE_SIZES) {
    await test.step(`${width} × ${height}`, async () => {
      await page.setViewportSize({ width, height });
      await operator.watches(`${EUROPE}&kind=aircraft&alt=0..9000&colour=red`);
      await expect(page.getByTestId('filter-count')).toHaveText(/^\d+ of \d+ shown$/);
      const inSight = async () => {
        await expect(page.getByTestId('filter-count')).toBeInViewport({ ratio: 1 });
        for (const criterion of ['Aircraft only', 'Altitude 0–9000 m'])
          await expect(panel.removes(criterion)).toBeInViewport({ ratio: 1 });
        await expect(panel.line.getByRole('button', { name: 'Clear the filter' })).toBeInViewport({ ratio: 1 });
      };
      await inSight();
      const before = await mapBox();
      await operator.goesOffline();
      const line = operator.notice('offline');
      await expect(line).toBeInViewport({ ratio: 1 });
      expect((await line.boundingBox())?.height).toBeGreaterThanOrEqual(36);
      expect(await line.evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize))).toBe(15);
      await inSight();
      expect(await mapBox()).toEqual(before);
      await page.context().setOffline(false);
      await expect(line).toHaveCount(0);
      await panel.clears();
      await expect(page.getByTestId('filter-count')).toHaveText(/^\d+ tracks$/);
      expect(await mapBox()).toEqual(before);
    });
  }
});
