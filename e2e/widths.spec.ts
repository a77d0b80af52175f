import { expectsNoLayoutProblems } from './driver/layout-problems.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';

/** Wide enough for an air ambulance, one of which the simulator always flies. */
const EUROPE = '/?view=47,8,5.5';

test('At every width nothing is cut or covered, and nothing lies over the map: live, with a selected track, and in a replay', async ({
  operator,
  page,
}) => {
  const walks = () => expectsNoLayoutProblems(page);
  const dock = new ReplayDock(page);
  await dock.asksFirst();
  await operator.watches(EUROPE);
  await test.step('live', walks);
  await test.step('the bar has words from 1280 pixels on', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const word of ['Aircraft', 'Drones', 'Allowance', 'Share'])
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
});
