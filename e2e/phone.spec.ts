import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

test('On a phone everything is visible, nothing is cut off, and sheet, layers and replay work by touch', async ({
  operator,
  page,
}) => {
  await operator.watches();
  await test.step('the map, both counts and both layer states are visible, and nothing is cut off', async () => {
    for (const layer of ['Aircraft', 'Drones'] as const) {
      await expect(operator.count(layer)).toBeInViewport({ ratio: 1 });
      await expect(operator.state(layer)).toHaveText(/up to date/);
    }
    await expect(operator.notice('all-simulated')).toBeInViewport({ ratio: 1 });
    expect(await operator.page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
  await test.step('The sheet expands to the tracks, a tap on one opens its card, and the sheet collapses again', async () => {
    await expect(operator.sheet).toHaveAttribute('data-stop', 'peek');
    await operator.button('Expand: Tracks, filter, view and allowance').tap();
    await expect(operator.sheet).toHaveAttribute('data-stop', 'half');
    await operator.tracks.rows.first().tap();
    await expect(operator.tracks.card).toBeVisible();
    await expect(operator.tracks.card).toContainText('Altitude (reference not stated)');
    await operator.button('Collapse: Tracks, filter, view and allowance').tap();
    await expect(operator.sheet).toHaveAttribute('data-stop', 'peek');
  });
  await test.step('A tap on a layer opens its switch', async () => {
    await operator.switchesLayer('Drones');
    await expect(operator.state('Drones')).toHaveText('Drones: layer is off, not requested');
  });
  await test.step('The last hour is replayed by touch, and no part of the replay bar is cut off', async () => {
    await operator.switchesLayer('Drones');
    await operator.button('Replay').tap();
    const dock = new ReplayDock(page);
    await dock.loadsFully();
    for (const part of [
      dock.plate,
      dock.timeline,
      dock.button('Play'),
      dock.button('Back to live'),
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
    await dock.button('Back to live').tap();
    await expect(operator.state('Aircraft')).toHaveText(/up to date/);
  });
});
