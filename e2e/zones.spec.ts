import { distanceM } from '#lib/geo/great-circle.ts';
import { axeFaults } from './driver/axe-faults.ts';
import { movesTo } from './driver/keyboard-walk.ts';
import { expectsNoLayoutProblems } from './driver/layout-problems.ts';
import { mapFits } from './driver/map-fits.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { ZonesPanel } from './driver/zones-panel.ts';
import { expect, test } from './lookout-test.ts';
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

test('An operator draws a zone, changes a corner, hears an alarm and acknowledges it; another page sees that', async ({
  startDesk,
  page,
  context,
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
  await expect(zones.chip, 'no zone, no count').toHaveCount(0);

  await test.step('draws the ground on the map, and moves a corner', async () => {
    await zones.startsZone('North gate');
    await zones.draws(CORNERS);
    const drawn = await zones.corners();
    expect(drawn).toHaveLength(4);
    for (const [index, corner] of CORNERS.entries())
      expect(distanceM(drawn[index] ?? { lon: 0, lat: 0 }, corner)).toBeLessThan(2 * PIXEL_M);
    const [from, to] = [await operator.pointOf(CORNERS[2] ?? BALLOON), await operator.pointOf({ lon: 8.5, lat: 47.1 })];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 4 });
    await page.mouse.up();
    await expect
      .poll(async () => distanceM((await zones.corners())[2] ?? BALLOON, { lon: 8.5, lat: 47.1 }))
      .toBeLessThan(3 * PIXEL_M);
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
    await expect(zones.price).toContainText(/price|requests a day/i);
    await zones.saves();
    await expect(zones.list.getByRole('listitem')).toHaveCount(1);
    await expect(zones.list).toContainText('North gate');
    await expect(zones.list).toContainText('simulated too');
  });

  await test.step('an alarm is counted, called and listed with its evidence', async () => {
    await expect(zones.chip).toContainText('1 new alarm');
    await expect(zones.call).toHaveText(/^Simulated\. North gate: first received inside\./);
    await zones.showsAlarms();
    await expect(zones.alarms).toHaveCount(1);
    await expect(zones.alarms.first()).toContainText('First received inside');
    await expect(zones.alarms.first()).toContainText('SIM');
    await zones.alarms.first().getByRole('button', { expanded: false }).click();
    await expect(zones.alarms.first()).toContainText('46.90000, 8.20000');
  });

  const other = await context.newPage();
  await test.step('acknowledges it by keyboard alone; another page sees that', async () => {
    await other.goto(`${lookout.url}/?view=46.9,8.2,8`);
    await expect(other.getByTestId('chip-alarms')).toContainText('1 new alarm');
    await zones.alarms.first().getByRole('button', { name: 'Acknowledge' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('hot-air balloon, on the programme');
    await page.keyboard.press('Enter');
    await expect(zones.alarms.first()).toHaveAttribute('data-stage', 'acknowledged');
    await expect(zones.alarms.first()).toContainText('hot-air balloon, on the programme');
    await expect(other.getByTestId('chip-alarms')).not.toContainText('new alarm');
  });
  await other.close();
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
    await movesTo(page, operator.button('New zone'));
    await press('Enter');
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
    await expect(zones.chip).toContainText('1 new alarm');
    await isSound();
    await press('w');
    await expect(zones.alarms).toHaveCount(1);
    await movesTo(page, zones.alarms.first().getByRole('button', { name: 'Acknowledge' }));
    await press('Enter');
    await isSound('alarms');
    await page.getByLabel('Comment').focus();
    await page.keyboard.type('on the programme');
    await press('Enter');
    await expect(zones.alarms.first()).toHaveAttribute('data-stage', 'acknowledged');
    await isSound('alarms');
  });

  await test.step('goes through the log, and replays the alarm', async () => {
    await movesTo(page, page.getByRole('radio', { name: /^Alarms/ }), 'Shift+Tab');
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

test('An operator corrects a file of zones by its errors, sees them on the map and imports them', async ({
  startDesk,
  page,
}) => {
  const { operator } = await startDesk();
  const zones = new ZonesPanel(operator);
  const ring = (lon: number, lat: number) => [
    [lon, 46],
    [7.4, 46],
    [7.4, lat],
    [lon, lat],
    [lon, 46],
  ];
  const file = (name: string, lat: number) => ({
    type: 'FeatureCollection',
    features: [
      { type: 'Feature', properties: { name: 'Depot', note: 'as filed' }, geometry: area(ring(7, 46.3)) },
      { type: 'Feature', properties: { name }, geometry: area(ring(7.2, lat)) },
    ],
  });
  const area = (corners: number[][]) => ({ type: 'Polygon', coordinates: [corners] });
  await operator.watches('/?view=48,9,7');
  await page.getByRole('tab', { name: 'Zones' }).click();

  await zones.chooses('faulty.geojson', file('Yard', 95));
  const errors = page.getByRole('alert').filter({ hasText: 'nothing was imported' });
  await expect(errors.getByRole('listitem')).toHaveText([
    /^Feature 2 “Yard”.*: has the position 7.4, 95, which is no longitude and latitude/,
  ]);
  await operator.button('Cancel').click();
  await expect(operator.button('New zone')).toBeVisible();
  await expect(zones.list).toHaveCount(0);

  await zones.chooses('zones.geojson', file('Yard', 46.2));
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
  await expect(zones.list.getByRole('listitem')).toContainText(['Depot', 'Yard']);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('An operator draws a zone, moves a corner, saves, acknowledges and closes by touch', async ({
    startDesk,
    page,
  }, info) => {
    const { operator } = await startDesk({
      service: playing(makeRecording(info.outputPath(), 'adsb', [{ id: 'balloon', ...BALLOON }])),
    });
    const zones = new ZonesPanel(operator);
    await operator.watches('/?view=46.9,8.2,8');
    await operator.button('Expand: Tracks, filter, zones, view and allowance').tap();
    await page.getByRole('tab', { name: 'Zones' }).tap();
    await operator.button('New zone').tap();
    await zones.form.getByLabel('Name').fill('North gate');
    await zones.form.getByRole('button', { name: 'Draw on the map' }).tap();
    await zones.isDrawing();
    for (const corner of CORNERS) await operator.tapsMapAt(corner);
    await page.getByRole('button', { name: 'Finish' }).tap();
    await expect(zones.form, 'the form comes back').toBeInViewport();
    expect(await zones.corners()).toHaveLength(4);
    await test.step('a finger moves a corner', async () => {
      await operator.button('Collapse: Tracks, filter, zones, view and allowance').tap();
      await mapFits(page);
      await operator.dragsByTouch(CORNERS[2] ?? BALLOON, { lon: 8.5, lat: 47.1 });
      await operator.button('Expand: Tracks, filter, zones, view and allowance').tap();
      await expect
        .poll(async () => distanceM((await zones.corners())[2] ?? BALLOON, { lon: 8.5, lat: 47.1 }))
        .toBeLessThan(20 * PIXEL_M);
    });
    await zones.form.getByRole('button', { name: 'Include simulated' }).tap();
    await zones.form.getByRole('button', { name: 'Save zone' }).tap();
    await expect(zones.chip).toHaveAttribute('data-new', '1');
    await zones.chip.tap();
    const alarm = zones.alarms.first();
    await alarm.getByRole('button', { name: 'Acknowledge' }).tap();
    await expect(alarm.getByLabel('Comment')).toBeInViewport({ ratio: 1 });
    expect(await axeFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await alarm.getByRole('radio', { name: '15 min' }).tap();
    await alarm.getByRole('button', { name: 'Acknowledge' }).tap();
    await expect(alarm).toHaveAttribute('data-stage', 'acknowledged');
    await alarm.getByRole('button', { name: 'Close' }).tap();
    await alarm.getByRole('radio', { name: 'Nuisance' }).tap();
    await alarm.getByRole('button', { name: 'Close', exact: true }).tap();
    await expect(page.getByTestId('no-alarms')).toBeVisible();
  });
});
