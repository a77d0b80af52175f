import { distanceM } from '#lib/geo/great-circle.ts';
import { letTimePass } from './driver/browser-clock.ts';
import { MeasuringTool } from './driver/measuring-tool.ts';
import { expect, test } from './lookout-test.ts';
import { MEASURED } from './running/recorded-world.ts';

test.use({ world: 'recorded' });

const { balloon: BALLOON, jet: JET } = MEASURED;
/** On the ground, at the zoom of the test. */
const PIXEL_M = 420;

test('Distances between clicked points and tracks, range rings and speed vectors are those of received positions', async ({
  operator,
  page,
}) => {
  const measuring = new MeasuringTool(page);
  await operator.watches('/?view=46.9,30.2,8');
  const clicked = { lon: 30.2, lat: 47.3 };

  await test.step('clicks place points, and snap to a mark', async () => {
    await measuring.starts();
    await expect.poll(() => operator.marksDrawn()).toBe(2);
    await operator.clicksMapAt(clicked);
    await expect(page.getByTestId('cursor-position')).toHaveText(/^47\.\d{5}, 30\.\d{5}$/);
    await operator.clicksMapAt(BALLOON);
    await expect(measuring.legs).toHaveCount(1);
    expect(Math.abs((await measuring.metres(0)) - distanceM(clicked, BALLOON))).toBeLessThan(2 * PIXEL_M);
    await operator.clicksMapAt(JET);
    await expect(measuring.legs).toHaveCount(2);
    expect(await measuring.metres(1)).toBeCloseTo(distanceM(BALLOON, JET), 1);
    await expect(measuring.legs.nth(1)).toHaveText(/^2 SIM \w+ → 3 SIM \w+ \d\d\.\d\d km · 0\d\d° true$/);
    await expect(measuring.total).toHaveText(/km$/);
    await expect(operator.tracks.card, 'nothing was selected').toHaveCount(0);
  });

  await test.step('in the chosen units; Backspace removes the last point, Esc ends', async () => {
    const scales = page.locator('.map-scale');
    await expect(scales).toHaveText([/\d\s?nm$/, /\d\s?km$/]);
    await page.keyboard.press('u');
    await expect(measuring.legs.nth(1)).toHaveText(/\d nm · 0\d\d° true$/);
    await page.keyboard.press('Backspace');
    await expect(measuring.legs).toHaveCount(1);
    await expect(measuring.strip.getByRole('status')).toHaveText(/^1 to 2 SIM \w+: \d\d\.\d\d nm · \d{3}° true\.$/);
    await page.keyboard.press('Escape');
    await operator.clicksMapAt(JET);
    await expect(operator.tracks.card, 'a click selects again').toBeVisible();
    await expect(measuring.legs).toHaveCount(1);
  });

  await test.step('range rings around the selected track and a place, with radii of one’s own', async () => {
    await operator.button('More actions for the track').click();
    await page.getByRole('menuitem', { name: 'Range rings around this track' }).click();
    await operator.button(/^Range rings$/).click();
    await operator.clicksMapAt({ lon: 30.7, lat: 46.75 });
    await expect(measuring.ringCentres).toHaveText([/^around\s46\.7\d+, 30\.\d+$/, /^around\sSIM \w+$/]);
    await measuring.radii.fill('5, far');
    await expect(measuring.strip.getByRole('alert')).toHaveText(/“far” is no radius/);
    await measuring.radii.fill('20 5');
    await expect(measuring.strip.getByRole('alert')).toHaveCount(0);
    await page.keyboard.press('Escape');
  });

  await test.step('a speed vector for the one that reports speed and heading, until its position expires', async () => {
    const map = page.getByTestId('map');
    await expect(map).toHaveAttribute('data-vectors', '0');
    await page.getByRole('tab', { name: 'View' }).click();
    await page.getByRole('radiogroup', { name: 'Speed vectors' }).getByRole('radio', { name: '2 min' }).click();
    await expect(map).toHaveAttribute('data-vectors', '1');
    await operator.goesOffline();
    await letTimePass(page, 70_000);
    await expect(map).toHaveAttribute('data-vectors', '0');
    expect(await operator.marksDrawn()).toBe(2);
    await expect(measuring.legs.first()).toHaveText(/ \(expired\) /);
    await letTimePass(page, 200_000);
    await expect(measuring.legs.first()).toHaveText(/ \(no longer received\) /);
  });
});
