import { axeFaults } from './driver/axe-faults.ts';
import { movesTo } from './driver/keyboard-walk.ts';
import { expectsNoLayoutProblems } from './driver/layout-problems.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { mapFits } from './driver/map-fits.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { ZonesPanel } from './driver/zones-panel.ts';
import { expect, hidesHints, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';

const BALLOON = { lon: 8.2, lat: 46.9 };
const JET = { lon: 8.9, lat: 47.3 };
/** At the zoom of the test. */
const PIXEL_M = 420;
/** From a phone to a wall. */
const SIZES = [
  [390, 844],
  [768, 1024],
  [1280, 800],
  [1440, 900],
  [1920, 1080],
] as const;
const DESKS = SIZES.filter(([width]) => width >= 1280);
const CORNERS = [
  { lon: 8.0, lat: 46.8 },
  { lon: 8.4, lat: 46.8 },
  { lon: 8.4, lat: 47.0 },
  { lon: 8.0, lat: 47.0 },
];
const MOVED = { lon: 8.5, lat: 47.1 };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** A polygon from 46° to `lat`, and from `lon` to 7.4°. */
const feature = (name: string, lon: number, lat: number) => ({
  type: 'Feature',
  properties: { name },
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [lon, 46],
        [7.4, 46],
        [7.4, lat],
        [lon, lat],
        [lon, 46],
      ],
    ],
  },
});
const FILE = { type: 'FeatureCollection', features: [feature('Depot', 7, 46.3), feature('Yard', 7.2, 46.2)] };

test('An operator draws a zone, changes a corner and acknowledges its alarm, as a phone sees and does by touch; a file of zones is shown and imported', async ({
  startDesk,
  page,
  browser,
}, info) => {
  const { lookout, operator } = await startDesk({
    service: playing(
      makeRecording(info.outputPath(), 'adsb', [
        { id: 'balloon', ...BALLOON },
        { id: 'jet', ...JET },
      ]),
    ),
  });
  const zones = new ZonesPanel(operator);
  await operator.watches('/?view=46.9,8.2,8');
  await expect.poll(() => operator.marksDrawn()).toBe(2);
  await expect(zones.chip).toHaveAccessibleName('No zones');

  await test.step('draws the ground on the map, and moves a corner', async () => {
    await zones.startsZone('North gate');
    await zones.draws(CORNERS);
    expect(await zones.corners()).toHaveLength(4);
    for (const [index, corner] of CORNERS.entries())
      expect(await zones.cornerDistanceM(index, corner)).toBeLessThan(2 * PIXEL_M);
    const [from, to] = [await operator.pointOf(CORNERS[2] ?? BALLOON), await operator.pointOf(MOVED)];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => zones.cornerDistanceM(2, MOVED)).toBeLessThan(3 * PIXEL_M);
  });

  await test.step('the server’s error is shown at its field', async () => {
    await zones.form.getByRole('button', { name: /^Hours/ }).click();
    await zones.form.getByRole('radio', { name: 'Weekly' }).click();
    await zones.form.getByLabel('Time zone').fill('Europe/Nowhere');
    await zones.form.getByRole('button', { name: 'Save zone' }).click();
    await expect(zones.form.getByRole('group', { name: 'Hours' }).getByRole('alert')).toContainText('Europe/Nowhere');
    await zones.form.getByRole('radio', { name: 'Always' }).click();
  });

  await test.step('saves it with simulated positions, since all are', async () => {
    await zones.form.getByRole('button', { name: 'Include simulated' }).click();
    await expect(zones.price, 'a service with an allowance has a price').toHaveText(/^\d[\d\s]* requests a day/);
    await zones.saves();
    await expect(zones.list.getByRole('listitem')).toHaveCount(1);
    await expect(zones.list).toContainText('North gate');
    await expect(zones.list).toContainText('simulated too');
  });

  await test.step('an alarm is counted, called and listed with its evidence', async () => {
    await expect(zones.chip).toHaveAccessibleName(/^1 new alarm/);
    await expect(zones.call).toHaveText(/^Simulated\. Aircraft .+ in North gate\./);
    await zones.showsAlarms();
    await expect(zones.alarms).toHaveCount(1);
    await expect(zones.alarms.first()).toContainText(/^Aircraft .+ in North gateSIM.+ inside the edge/);
    await zones.alarms.first().getByRole('button', { expanded: false }).click();
    await expect(zones.alarms.first()).toContainText('Aircraft appeared inside');
    await expect(zones.alarms.first()).toContainText('46.90000, 8.20000');
  });

  const context = await browser.newContext(PHONE);
  await hidesHints(context);
  const phone = new LookoutDriver(await context.newPage(), lookout.url);
  const onPhone = new ZonesPanel(phone);
  await test.step('acknowledges it by keyboard alone; a phone sees that', async () => {
    await phone.watches('/?view=46.9,8.2,8');
    await expect(onPhone.chip).toHaveAttribute('data-new', '1');
    await zones.alarms.first().getByRole('button', { name: 'Acknowledge with a comment' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('hot-air balloon, on the programme');
    await page.keyboard.press('Enter');
    await expect(zones.alarms.first()).toHaveAttribute('data-stage', 'acknowledged');
    await expect(zones.alarms.first()).toContainText('hot-air balloon, on the programme');
    await expect(onPhone.chip).toHaveAttribute('data-new', '0');
  });

  await test.step('on the phone draws a zone, and a finger moves a corner', async () => {
    await phone.button('Expand: Tracks, filter, zones, view and allowance').tap();
    await phone.page.getByRole('tab', { name: 'Zones' }).tap();
    await phone.button('Create zone').tap();
    await onPhone.form.getByRole('radio', { name: 'All traffic' }).tap();
    await onPhone.form.getByLabel('Name').fill('South gate');
    await onPhone.form.getByRole('button', { name: 'Draw on the map' }).tap();
    await onPhone.isDrawing();
    for (const corner of CORNERS) await phone.tapsMapAt(corner);
    await phone.button('Finish').tap();
    await expect(onPhone.form, 'the form comes back').toBeInViewport();
    expect(await onPhone.corners()).toHaveLength(4);
    await phone.button('Collapse: Tracks, filter, zones, view and allowance').tap();
    await mapFits(phone.page);
    await phone.dragsByTouch(CORNERS[2] ?? BALLOON, MOVED);
    await phone.button('Expand: Tracks, filter, zones, view and allowance').tap();
    await expect.poll(() => onPhone.cornerDistanceM(2, MOVED)).toBeLessThan(20 * PIXEL_M);
  });

  await test.step('on the phone saves it, acknowledges its alarm and closes it by touch', async () => {
    await onPhone.form.getByRole('button', { name: 'Include simulated' }).tap();
    await onPhone.form.getByRole('button', { name: 'Save zone' }).tap();
    await expect(onPhone.chip).toHaveAttribute('data-new', '1');
    await onPhone.chip.tap();
    await expect(onPhone.alarms).toHaveCount(2);
    const alarm = onPhone.alarms.filter({ hasText: 'South gate' });
    await expect(onPhone.alarms.first(), 'the first alarm needs no scrolling').toBeInViewport({ ratio: 1 });
    await alarm.getByRole('button', { expanded: false }).tap();
    await alarm.getByRole('button', { name: 'Acknowledge with a comment' }).tap();
    await expect(alarm.getByLabel('Comment')).toBeInViewport({ ratio: 1 });
    expect(await axeFaults(phone.page)).toEqual([]);
    expect(await phone.page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.viewport.width);
    await alarm.getByRole('radio', { name: '15 min' }).tap();
    await alarm.getByRole('button', { name: 'Acknowledge', exact: true }).tap();
    await expect(alarm).toHaveAttribute('data-stage', 'acknowledged');
    for (const name of ['South gate', 'North gate']) {
      const each = onPhone.alarms.filter({ hasText: name });
      if (name === 'North gate') await each.getByRole('button', { expanded: false }).tap();
      await each.getByRole('button', { name: 'Close' }).tap();
      await each.getByRole('radio', { name: 'Nuisance' }).tap();
      await each.getByRole('button', { name: 'Close', exact: true }).tap();
      await expect(each).toHaveCount(0);
    }
    await expect(phone.page.getByTestId('no-alarms')).toBeVisible();
  });
  await context.close();

  await test.step('zones of a file are shown on the map, and imported', async () => {
    await page.getByRole('radio', { name: /^Zones/ }).click();
    await zones.chooses('zones.geojson', FILE);
    await expect(page.getByText('2 zones, shown on the map.')).toBeVisible();
    await expect.poll(() => operator.viewInAddress()?.lat).toBeCloseTo(46.15, 1);
    const [inOne, inBoth] = [
      { lat: 46.25, lon: 7.1 },
      { lat: 46.1, lon: 7.3 },
    ];
    await expect
      .poll(async () => Math.abs((await operator.luminanceAt(inBoth)) - (await operator.luminanceAt(inOne))))
      .toBeGreaterThan(3);
    await operator.button('Import 2 zones').click();
    await expect(page.getByTestId('zones-done')).toHaveText('Imported 2 zones.');
    await expect(zones.list.getByRole('listitem').filter({ hasText: /Depot|Yard/ })).toHaveCount(2);
  });
});

test('By keyboard alone an operator writes a zone, tries its rules, acknowledges an alarm and reviews it; nothing is cut or covered, and axe finds no fault', async ({
  startDesk,
  page,
}, info) => {
  const { operator } = await startDesk({
    service: playing(makeRecording(info.outputPath(), 'adsb', [{ id: 'balloon', ...BALLOON }])),
  });
  const zones = new ZonesPanel(operator);
  const dock = new ReplayDock(page);
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** On small screens, alarms may cover the map. */
  const isSound = async (part: 'zones' | 'alarms' = 'zones') => {
    const sizes = part === 'zones' ? SIZES : DESKS;
    await expectsNoLayoutProblems(page, sizes);
    for (const colorScheme of ['light', 'dark'] as const) {
      const [width, height] = colorScheme === 'light' ? (sizes[0] ?? SIZES[0]) : SIZES[2];
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      expect.soft(await axeFaults(page), `${width} × ${height}, ${colorScheme}`).toEqual([]);
    }
  };
  await dock.asksFirst();
  await operator.watches('/?view=46.9,8.2,10');

  await test.step('writes a circle', async () => {
    await movesTo(page, page.getByRole('tab', { name: 'Tracks' }));
    for (const tab of ['Filter', 'Zones']) {
      await press('ArrowRight');
      await expect(page.getByRole('tab', { name: tab })).toBeFocused();
    }
    await movesTo(page, operator.button('Create zone'));
    await press('Enter');
    await movesTo(page, zones.form.getByRole('radio', { name: 'Site' }));
    // The balloon is an aircraft.
    await press('ArrowRight');
    await expect(zones.form.getByRole('radio', { name: 'All traffic' })).toBeChecked();
    await movesTo(page, zones.form.getByLabel('Name'));
    await page.keyboard.type('Balloon field');
    await movesTo(page, zones.form.getByRole('radio', { name: 'Polygon' }));
    await press('ArrowRight');
    await movesTo(page, zones.form.getByLabel('Centre'));
    await page.keyboard.type('46.9, 8.2');
    await press('Enter');
    await movesTo(page, zones.form.getByLabel('Radius'));
    await press('Control+a');
    await page.keyboard.type('2000');
    await page.keyboard.press('Tab');
    await expect(zones.form.getByLabel('Radius'), 'handles on the map change nothing').toHaveValue('2000');
    await expect(zones.form.getByLabel('Centre')).toHaveValue(/^46\.90*, 8\.20*$/);
    await movesTo(page, zones.form.getByRole('button', { name: 'Include simulated' }));
    await press('Enter');
    await isSound();
  });

  await test.step('tries the rule on the last quarter of an hour', async () => {
    await movesTo(page, zones.form.getByRole('button', { name: /^Try it first/ }));
    await press('Enter');
    await movesTo(page, zones.form.getByRole('button', { name: 'Open a replay' }));
    await press('Enter');
    await expect(dock.loading).toHaveAttribute('data-loading', 'quoted');
    await movesTo(page, dock.button(/^Load the last 15 min/), 'Shift+Tab');
    await press('Enter');
    await dock.isLoaded();
    await movesTo(page, zones.form.getByRole('button', { name: /^Try on/ }));
    await press('Enter');
    await expect(zones.form.getByRole('group', { name: 'Try it first' }).getByRole('status')).toContainText(
      /^[1-9] alarms? in 15 min/,
    );
    await isSound();
    await press('r');
    await expect(dock.dock).toHaveCount(0);
  });

  await test.step('saves it, and acknowledges its alarm', async () => {
    await movesTo(page, zones.form.getByRole('button', { name: 'Save zone' }));
    await press('Enter');
    await expect(zones.list).toContainText('Balloon field');
    await expect(zones.chip).toHaveAccessibleName(/^1 new alarm/);
    await isSound();
    await press('w');
    await expect(zones.alarms).toHaveCount(1);
    await movesTo(page, zones.alarms.first().getByRole('button', { expanded: false }));
    await press('Enter');
    await movesTo(page, zones.alarms.first().getByRole('button', { name: 'Acknowledge with a comment' }));
    await press('Enter');
    await page.keyboard.type('on the programme');
    await press('Enter');
    await expect(zones.alarms.first()).toHaveAttribute('data-stage', 'acknowledged');
    await isSound('alarms');
  });

  await test.step('goes through the log, and replays the alarm', async () => {
    await movesTo(page, page.getByRole('radio', { name: /^Alarms/ }), 'Shift+Tab');
    await press('ArrowRight');
    await expect(page.getByRole('radio', { name: 'Permits' })).toBeChecked();
    await press('ArrowRight');
    await expect(zones.logEntries).toContainText(['on the programme']);
    await isSound('alarms');
    await movesTo(page, page.getByRole('radio', { name: 'Log' }));
    await press('j');
    await expect(zones.logEntries.first()).toBeFocused();
    await press('r');
    await expect(dock.dock).toBeVisible();
    await dock.loadsFully();
    await expect(page.getByTestId('alarm-today')).toContainText('Evaluated again on this replay: today the verdict');
  });

  await test.step('reads the report of the shift', async () => {
    await movesTo(page, operator.button('Shift report'));
    await press('Enter');
    const report = page.getByTestId('shift-report').first();
    await expect(report).toContainText('on the programme');
    expect(await axeFaults(page)).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    await expect(page.getByTestId('shift-report-sheet')).toBeVisible();
    await page.emulateMedia({ media: 'screen' });
    await press('Escape');
    await expect(report).toHaveCount(0);
  });
});

test('A circle that is drawn shows its radius at the pointer, and a handle moves all of it', async ({
  startDesk,
  page,
}, info) => {
  const { operator } = await startDesk({
    service: playing(makeRecording(info.outputPath(), 'adsb', [{ id: 'balloon', ...BALLOON }])),
  });
  const zones = new ZonesPanel(operator);
  const [edge, apart] = [
    { lon: 8.4, lat: 46.9 },
    { lon: 8.3, lat: 47.0 },
  ];
  await operator.watches('/?view=46.9,8.2,9');

  await test.step('the radius follows the pointer, and a mouse moves the circle', async () => {
    await zones.startsZone('Meadow');
    await zones.form.getByRole('radio', { name: 'Circle' }).click();
    await zones.isDrawing();
    const [centre, end] = [await operator.pointOf(BALLOON), await operator.pointOf(edge)];
    await page.mouse.click(centre.x, centre.y);
    await page.mouse.move(end.x, end.y, { steps: 4 });
    const radius = page.getByTestId('drawn-radius');
    await expect(radius).toHaveText(/^15\.\d+ km$/);
    const box = await radius.boundingBox();
    expect(Math.hypot((box?.x ?? 0) - end.x, (box?.y ?? 0) - end.y), 'at the pointer').toBeLessThan(40);
    await page.mouse.click(end.x, end.y);
    await expect(radius).toHaveCount(0);
    await mapFits(page);
    const to = await operator.pointOf(apart);
    await page.getByTestId('move-shape').hover();
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 6 });
    await page.mouse.up();
    await expect.poll(() => zones.centreDistanceM(apart)).toBeLessThan(2 * PIXEL_M);
    await expect(zones.form.getByLabel('Radius'), 'its size stays').toHaveValue(/^15\d{3}(\.\d)?$/);
    await zones.form.getByRole('button', { name: 'Include simulated' }).click();
    await zones.saves();
  });
});
