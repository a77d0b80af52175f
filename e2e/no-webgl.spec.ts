import type { Browser, Page } from '@playwright/test';
import { HandingOn } from './driver/handing-on.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { ZonesPanel } from './driver/zones-panel.ts';
import { expect, test } from './lookout-test.ts';
import { newPage, startFlaggedBrowser } from './running/flagged-browser.ts';

let browser: Browser;
test.beforeAll(async () => {
  browser = await startFlaggedBrowser(['--disable-3d-apis']);
});
test.afterAll(() => browser.close());

const absent = (page: Page) => page.getByTestId('map-absent');
const area = (page: Page) => page.getByTestId('absent-area');

test('Without WebGL2 one sentence says why there is no map, and table, zones, links and replays work on', async ({
  sharedLookout,
}) => {
  const page = await newPage(browser);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  const operator = new LookoutDriver(page, sharedLookout.url);
  await operator.goesTo('/?view=46.9,8.2,8');
  await expect(absent(page)).toContainText('This browser draws no WebGL2, which the map needs.');
  await expect(area(page)).toContainText('around 46.90000, 8.20000');
  await expect(operator.state('Aircraft')).toHaveText(/up to date/);
  await expect(operator.tracks.rows.first()).toBeVisible();

  await test.step('another area is requested by zoom', async () => {
    await expect.poll(() => operator.answers.last(), 'an answer is read').toBeDefined();
    const before = operator.covered().latSpanDeg;
    await page.keyboard.press('-');
    await expect.poll(() => operator.covered().latSpanDeg).toBeGreaterThan(1.5 * before);
    expect(new URL(page.url()).searchParams.get('view')).toBe('46.9,8.2,7');
    await page.keyboard.press('+');
  });

  await test.step('a track opens, and its link is shared', async () => {
    await operator.tracks.selectsFirst();
    await page.keyboard.press('s');
    await expect(new HandingOn(page).shareDialog).toBeVisible();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await operator.tracks.isClosed();
  });

  await test.step('a zone is typed', async () => {
    const zones = new ZonesPanel(operator);
    await zones.startsZone('Typed');
    await expect(zones.form).toContainText('Without a map, type the places of the shape.');
    await zones.form.getByLabel('Corners, one per line').fill('46.8, 8.1\n46.8, 8.3\n47, 8.3');
    await zones.form.getByLabel('Corners, one per line').blur();
    await expect(zones.form.getByRole('alert')).toHaveCount(0);
  });

  await test.step('a replay loads and plays', async () => {
    const dock = new ReplayDock(page);
    await operator.goesTo(replayPath(pastWindow(5)));
    await dock.loadsFully();
    await page.keyboard.press('End');
    await page.getByRole('tab', { name: 'Tracks', exact: true }).click();
    await expect(operator.tracks.rows.first()).toBeVisible();
    await expect(absent(page)).toBeVisible();
  });

  await test.step('the overview has its figures as a table', async () => {
    await operator.goesTo('/overview');
    await expect(page.getByText('This browser draws no WebGL2, which the map needs.')).toBeVisible();
  });
  await expect(page.getByTestId('failure')).toHaveCount(0);
  expect(problems).toEqual([]);
  await page.close();
});
