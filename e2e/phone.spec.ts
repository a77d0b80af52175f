import { mapFits } from './driver/map-fits.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { ZonesPanel } from './driver/zones-panel.ts';
import { expect, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';
import { BOTH } from './running/recorded-world.ts';

test.use({ world: 'recorded', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

/** Tools whose words are not whole, or not under their icon. */
function wordlessTools(tools: readonly Element[]): readonly (string | null)[] {
  return tools
    .filter((tool) => {
      const icon = tool.querySelector('svg')?.getBoundingClientRect();
      const words = document.createRange();
      if (tool.lastChild) words.selectNode(tool.lastChild);
      const { top, bottom, left, right, width } = words.getBoundingClientRect();
      const box = tool.getBoundingClientRect();
      const isInside = left >= box.left && right <= box.right && bottom <= box.bottom;
      return !icon || width === 0 || top < icon.bottom || !isInside;
    })
    .map(({ textContent }) => textContent);
}

test('On a phone everything is visible, nothing is cut off, and sheet, layers and replay work by touch', async ({
  operator,
  page,
}) => {
  await operator.watches(`/?view=${BOTH.lat},${BOTH.lon},8`);
  await test.step('the map, both counts and both layer states are visible, and nothing is cut off', async () => {
    for (const layer of ['Aircraft', 'Drones'] as const) {
      await expect(operator.shownCount(layer)).toBeInViewport({ ratio: 1 });
      await expect(operator.state(layer)).toHaveText(/up to date/);
    }
    await expect(operator.notice('all-simulated')).toBeInViewport({ ratio: 1 });
    expect(await operator.page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
  await test.step('The sheet expands to the tracks, a tap on one opens its card, and the sheet collapses again', async () => {
    await expect(operator.sheet).toHaveAttribute('data-stop', 'peek');
    await operator.sheet.getByText('Tracks, zones and view').tap();
    await expect(operator.sheet, 'the whole head opens it').toHaveAttribute('data-stop', 'half');
    await operator.sheet.getByText('Tracks, zones and view').tap();
    await expect(operator.sheet).toHaveAttribute('data-stop', 'peek');
    await operator.button('Expand: Tracks, filter, zones, view and allowance').tap();
    await expect(operator.sheet).toHaveAttribute('data-stop', 'half');
    await expect(operator.tracks.search, 'an iPhone does not zoom into it').toHaveCSS('font-size', '16px');
    await operator.tracks.firstReceived.tap();
    await expect(operator.tracks.card).toBeVisible();
    await expect(operator.tracks.card).toContainText('Heading');
    await expect(operator.tracks.card, 'its head says it').not.toContainText('Ground speed');
    const head = page.getByTestId('sheet-track');
    for (const name of [/^(Aircraft|Drone)/, /(Altitude|Height)/, /Speed/, /From home/, /Age(, expired)?\d+ s/]) {
      await expect(head).toContainText(name);
    }
    await expect(head).toBeInViewport({ ratio: 1 });
    for (const action of ['Follow', 'Isolate', 'Centre', 'Close: clear the selection']) {
      await expect(operator.button(action)).toBeInViewport({ ratio: 1 });
    }
    await expect(operator.tracks.card.getByRole('button', { name: 'Follow' }), 'one row of actions').toHaveCount(0);
    await expect(page.getByTestId('standing-notice'), 'in the help alone').toHaveCount(0);
    // A drone that is selected already would not raise the sheet again.
    await operator.button('Close: clear the selection').tap();
    await operator.button('Collapse: Tracks, filter, zones, view and allowance').tap();
    await expect(operator.sheet).toHaveAttribute('data-stop', 'peek');
  });
  await test.step('Four tools lie over the map, the last of which has the others', async () => {
    const tools = page.getByRole('region', { name: 'Map tools' }).getByRole('button');
    await expect(tools).toHaveCount(4);
    await operator.button('More map tools').tap();
    const more = page.getByRole('dialog', { name: 'More map tools' }).getByRole('button');
    const places = () => more.evaluateAll((all) => all.map((tool) => JSON.stringify(tool.getBoundingClientRect())));
    expect(await more.evaluateAll(wordlessTools), 'each has its words under its icon').toEqual([]);
    const before = await places();
    expect(before.length).toBeGreaterThan(8);
    await operator.button('Hide the legend').tap();
    await expect(operator.legend).toHaveCount(0);
    expect(await places(), 'stays under the finger').toEqual(before);
    await operator.button('Show the legend').tap();
    for (const level of ['reference', 'reference, altitude, speed', 'off']) {
      await operator.button(`Labels: ${level}`).tap();
      expect(await places(), level).toEqual(before);
    }
    await page.keyboard.press('Escape');
  });
  await test.step('A sentence says that the browser does not share its position', async () => {
    await operator.button('My position').tap();
    await expect(page.getByTestId('my-position-text')).toContainText('This browser does not share the position');
    await operator.button('My position: off').tap();
    // Its name begins with that of the button that follows.
    await expect(operator.button('My position: off')).toHaveCount(0);
  });
  await test.step('My position is shown, with the nearest drones, their distance and bearing', async () => {
    const { lat, lon } = operator.viewInAddress() ?? { lat: 0, lon: 0 };
    await page.context().grantPermissions(['geolocation']);
    await page.context().setGeolocation({ latitude: lat, longitude: lon, accuracy: 30 });
    await operator.button('My position').tap();
    await expect(page.getByTestId('my-position-text')).toHaveText(/^My position ±30 m · \d+ s ago$/);
    await expect(page.getByRole('img', { name: 'My position' })).toBeVisible();
    const near = page.getByRole('list', { name: 'Nearest received drones' }).getByRole('button');
    await expect(near.first()).toHaveText(/^\w{5}[\d.]+ k?m · \d{3}°/);
    await near.first().tap();
    await expect(page.getByTestId('sheet-track')).toContainText('Drone');
    await operator.button('Close: clear the selection').tap();
    await operator.button('Collapse: Tracks, filter, zones, view and allowance').tap();
    await operator.button('My position: off').tap();
    await expect(page.getByRole('img', { name: 'My position' })).toHaveCount(0);
  });
  await test.step('A tap on a layer opens its switch', async () => {
    await operator.switchesLayer('Drones');
    await expect(operator.state('Drones')).toHaveText('Drones: layer is off, not requested');
  });
  await test.step('The last hour is replayed by touch, and no part of the replay bar is cut off', async () => {
    await operator.switchesLayer('Drones');
    const dock = new ReplayDock(page);
    // The bar loads at its first use. Until then the map grows, and shows places that the replay does not load.
    await operator.button('Replay').tap();
    await expect(dock.plate).toBeVisible();
    await expect(dock.timeline).toBeVisible();
    await operator.button('Back to live').tap();
    await expect(dock.dock).toHaveCount(0);
    await mapFits(page);
    await operator.button('Replay').tap();
    await dock.loadsFully();
    for (const part of [
      dock.plate,
      dock.timeline,
      dock.button('Play'),
      operator.button('Back to live'),
      dock.windowButton,
    ]) {
      await expect(part).toBeInViewport({ ratio: 1 });
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    const before = await dock.shownAtMs();
    const middle = await dock.pointAt(0.5);
    await page.touchscreen.tap(middle.x, middle.y);
    // It opens near the end of its hour.
    await expect.poll(() => dock.shownAtMs()).toBeLessThan(before - 20 * 60_000);
    await expect.poll(() => operator.marksDrawn()).toBeGreaterThan(0);
    await test.step('the map has most of the screen, and the lanes share one', async () => {
      const box = await page.getByTestId('map').boundingBox();
      expect(box?.width).toBe(386);
      expect(box?.height).toBeGreaterThanOrEqual(0.6 * 844);
      const [first, second] = await Promise.all(
        [0, 1].map((lane) => dock.timeline.locator('p').nth(lane).boundingBox()),
      );
      expect(first?.y).toBe(second?.y);
    });
    await operator.button('Back to live').tap();
    await expect(operator.state('Aircraft')).toHaveText(/up to date/);
  });
});

const DRONE = { id: 'hovering', lon: 8.2, lat: 46.9, alt_m: 80 };
const AROUND_DRONE = {
  name: 'Runway 14/32',
  shape: { type: 'Circle', centre: [DRONE.lon, DRONE.lat], radius_m: 3000 },
  vertical: null,
  hours: null,
  rules: [{ kind: 'entered', layers: ['rid'], simulated: true }],
};

test('On a phone an alarm is acknowledged in two taps, then the nearest drone is two away; the bar stays, and nothing moves under the finger', async ({
  startDesk,
  page,
}, info) => {
  const { operator } = await startDesk({ service: playing(makeRecording(info.outputPath(), 'rid', [DRONE])) });
  const zones = new ZonesPanel(operator);
  const box = (part: 'banner' | 'head') =>
    (part === 'banner' ? page.getByRole('banner') : operator.sheet.locator('header')).boundingBox();
  await operator.watches('/?view=46.9,8.2,11');
  const [bar, head] = [await box('banner'), await box('head')];
  await page.evaluate(async (zone) => {
    const headers = { 'content-type': 'application/json' };
    await fetch('/api/zones', { method: 'POST', headers, body: JSON.stringify(zone) });
  }, AROUND_DRONE);
  await expect(zones.chip).toHaveAttribute('data-new', '1');
  expect(await box('banner')).toEqual(bar);

  await test.step('alarm', async () => {
    await zones.chip.tap();
    await expect(zones.alarms.first(), 'without scrolling').toBeInViewport({ ratio: 1 });
    expect(await box('banner')).toEqual(bar);
    expect((await box('head'))?.height).toBe(head?.height);
  });
  await test.step('acknowledge', async () => {
    const acknowledge = zones.alarms.first().getByRole('button', { name: 'Acknowledge', exact: true });
    await expect(acknowledge).toBeInViewport({ ratio: 1 });
    expect((await acknowledge.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    const before = await zones.alarms.first().boundingBox();
    await acknowledge.tap();
    await expect(zones.alarms.first()).toHaveAttribute('data-stage', 'acknowledged');
    expect((await zones.alarms.first().boundingBox())?.y).toBe(before?.y);
  });
  await test.step('nearest drone', async () => {
    await operator.sheet.locator('header').tap({ position: { x: 60, y: 30 } });
    await expect(operator.sheet).toHaveAttribute('data-stop', 'peek');
    await page.context().grantPermissions(['geolocation']);
    await page.context().setGeolocation({ latitude: DRONE.lat + 0.01, longitude: DRONE.lon, accuracy: 30 });
    await operator.button('My position').tap();
    await page.getByRole('list', { name: 'Nearest received drones' }).getByRole('button').first().tap();
    await expect(page.getByTestId('sheet-track')).toContainText('Drone');
    expect(await box('banner')).toEqual(bar);
    expect((await box('head'))?.height).toBe(head?.height);
  });
});
