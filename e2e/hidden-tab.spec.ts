import { letTimePass } from './driver/browser-clock.ts';
import type { LookoutDriver } from './driver/lookout-driver.ts';
import { expect, test } from './lookout-test.ts';

/** The bar and the panel come after the marks: only then has the map its size, and asks for what it shows. */
async function watchesTheWholePage(operator: LookoutDriver): Promise<void> {
  await operator.watches();
  await expect(operator.count('Drones')).toBeVisible();
  await expect(operator.tracks.rows.first()).toBeVisible();
}

test('A hidden tab sends no requests, and catches up at once when it is shown again', async ({ operator }) => {
  await watchesTheWholePage(operator);
  await operator.hidesTheTab();
  await operator.waitsUntilOld('Aircraft', 3);
  const before = operator.answers.requestCount;
  // A tab that is seen would ask for the new view.
  await operator.page.setViewportSize({ width: 900, height: 600 });
  // Shorter absences are not mentioned.
  await operator.waitsUntilOld('Aircraft', (await operator.secondsOld('Aircraft')) + 12);
  expect(operator.answers.requestCount, 'requests, none of them while hidden').toBe(before);

  await operator.returnsToTheTab();
  // First, since it disappears after a while.
  await expect(operator.notice('note')).toHaveText(
    /^Paused for \d\d s while this tab was hidden; caught up at \d\d:\d\d:\d\dZ$/,
  );
  await expect.poll(() => operator.answers.requestCount).toBeGreaterThan(before);
  await expect.poll(() => operator.secondsOld('Aircraft')).toBeLessThan(5);
  await expect(operator.state('Aircraft')).toHaveText(/up to date/);
});

test('Offline, what was received stays as long as it may, under its true name', async ({ operator }) => {
  // Code that has not arrived yet could not be loaded any more.
  await watchesTheWholePage(operator);

  await test.step('An offline browser says so, lets the positions age, and recovers by itself', async () => {
    const mapBox = () => operator.page.getByTestId('map').boundingBox();
    const [before, chip] = [await mapBox(), operator.page.getByTestId('chip-adsb')];
    const widthPx = (await chip.boundingBox())?.width;
    await operator.page.context().setOffline(true);
    await expect(operator.notice('offline')).toHaveText(/^You are offline\. Last update \d+ s ago\.$/);
    await operator.waitsUntilOld('Aircraft', 7);
    expect(await operator.marksDrawn()).toBeGreaterThan(0);
    await expect(operator.state('Aircraft')).not.toHaveText(/up to date/);
    expect(await mapBox(), 'the map does not jump').toEqual(before);
    expect((await chip.boundingBox())?.width, 'chips keep their width').toBe(widthPx);
    await expect(operator.page.locator('.strip-line', { hasText: /offline|old/ }), 'said once').toHaveCount(1);
    await operator.page.context().setOffline(false);
    await expect(operator.notice('offline')).toHaveCount(0);
    await expect(operator.state('Aircraft')).toHaveText(/up to date/);
  });

  await test.step('Expired positions are counted apart, and called simulated, as long as they are on the map', async () => {
    await operator.page.context().setOffline(true);
    await expect(operator.notice('offline')).toBeVisible();
    await letTimePass(operator.page, 100_000);
    for (const layer of ['Aircraft', 'Drones'] as const) {
      await expect(operator.count(layer)).toHaveText(/^0 current · [1-9]\d* simulated expired$/);
    }
    await expect(operator.tracks.rows.first()).toContainText('expired');
    await expect.poll(() => operator.marksDrawn()).toBe(await operator.expired());
    await expect(operator.notice('all-simulated')).toBeVisible();
  });

  await test.step('gone from the map they are not counted: a 0 would read as an empty sky, and nothing is known any more', async () => {
    await letTimePass(operator.page, 200_000);
    for (const layer of ['Aircraft', 'Drones'] as const) await expect(operator.count(layer)).toHaveCount(0);
    await expect.poll(() => operator.marksDrawn()).toBe(0);
    await expect(operator.notice('all-simulated')).toHaveCount(0);
  });
});
