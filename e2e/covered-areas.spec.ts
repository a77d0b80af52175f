import { bboxContains } from '#lib/geo/bbox.ts';
import { expectsNoLayoutProblems } from './driver/layout-problems.ts';
import { addressTime, pastWindow } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';

test('A view wider than 30° is live around the middle of the screen, and so is its replay; a home area is counted, with its emergencies, wherever the map is', async ({
  operator,
  page,
}) => {
  await test.step('only the framed area is live, and the rest is shaded', async () => {
    // Open ocean on both sides: only the shade differs.
    await operator.goesTo('/?view=0,-150,2.5');
    await expect(operator.notice('capped')).toHaveText('Zoomed out too far: only the framed area is live.');
    const luminance = (lon: number) => operator.luminanceAt({ lat: 6, lon });
    await expect.poll(async () => (await luminance(-145)) - (await luminance(-125))).toBeGreaterThan(3);
  });

  await test.step('it is in the middle of the screen, near a pole and across 180° as well', async () => {
    await operator.goesTo('/?view=-70,175,1.5');
    await expect.poll(() => operator.covered().middle.lon).toBeCloseTo(175, 1);
    await expect(operator.notice('capped')).toBeVisible();
    const shown = operator.viewInAddress();
    const covered = operator.covered();
    expect(operator.answers.last()?.capped).toBe(true);
    for (const { west, south, east, north } of operator.answers.last()?.covered ?? []) {
      expect(east - west).toBeLessThanOrEqual(30);
      expect(north - south).toBeLessThanOrEqual(30);
    }
    expect(covered.lonSpanDeg).toBeCloseTo(30, 1);
    expect(covered.latSpanDeg).toBeCloseTo(30, 1);
    expect(covered.middle.lon).toBeCloseTo(shown?.lon ?? Number.NaN, 1);
    expect(covered.middle.lat).toBeCloseTo(shown?.lat ?? Number.NaN, 1);
  });

  await test.step('an empty view says that no positions were received, never that there is no traffic', async () => {
    await expect(operator.state('Aircraft')).toHaveText('No aircraft positions received in this view');
    await expect(operator.state('Drones')).toHaveText('No drone positions received in this view');
    await expect(page.getByText(/no traffic/i)).toHaveCount(0);
  });

  await test.step('the home view is live as a whole', async () => {
    await operator.button('Home view').click();
    await expect(operator.notice('capped')).toHaveCount(0);
    await operator.seesPositions();
  });

  await test.step('a home area is counted where the map does not show it, and a click goes there', async () => {
    const chip = page.getByTestId('home-chip');
    const movesAway = async () => {
      const before = operator.viewInAddress()?.lon ?? Number.NaN;
      for (let drag = 0; drag < 4; drag++) await operator.drags(-600, 0);
      await expect.poll(() => operator.viewInAddress()?.lon).toBeGreaterThan(before + 5);
    };
    await page.getByRole('tab', { name: 'View' }).click();
    await operator.button('Use this view').click();
    await expect(page.getByTestId('home-area')).toContainText(/It takes about [\d\s]+ requests an hour/);
    await expect(chip, 'the map shows all of it').toHaveCount(0);
    const home = operator.viewInAddress();
    const isHomeCovered = () =>
      (operator.answers.last()?.covered ?? []).some((box) => bboxContains(box, home?.lon ?? 0, home?.lat ?? 0));

    await movesAway();
    await expect(chip).toHaveText(
      /^Home: [1-9]\d* simulated aircraft · \d+( simulated)? drones?( · \d+ simulated emergenc(y|ies))?/,
    );
    await expect.poll(() => operator.answers.lastRequest()?.searchParams.has('home')).toBe(true);
    await expect.poll(() => operator.answers.last()?.covered.length).toBeGreaterThan(1);
    expect(isHomeCovered()).toBe(true);
    await chip.click();
    await expect.poll(() => operator.viewInAddress()?.lon).toBeCloseTo(home?.lon ?? Number.NaN, 0);
    await expect(chip).toHaveCount(0);

    await operator.button('Remove').click();
    await movesAway();
    await expect(chip).toHaveCount(0);
    await expect.poll(() => operator.answers.lastRequest()?.searchParams.has('home')).toBe(false);
    await expect.poll(isHomeCovered).toBe(false);
  });

  await test.step('a replay of the world loads the middle of the screen', async () => {
    const { start, end } = pastWindow(5);
    await operator.goesTo(`/?view=47,8,1&layers=adsb&from=${addressTime(start)}&to=${addressTime(end)}`);
    const dock = new ReplayDock(page);
    await expect(dock.button(/around the centre/)).toBeVisible();
    await test.step('the price fits a narrow phone', async () => {
      const desk = page.viewportSize();
      await expectsNoLayoutProblems(page, [[320, 568]]);
      if (desk) await page.setViewportSize(desk);
    });
    await dock.button(/around the centre/).click();
    await dock.isLoaded();
    const [west, south, east, north] = (new URL(page.url()).searchParams.get('area') ?? '').split(',').map(Number);
    const { lat, lon } = operator.viewInAddress() ?? { lat: Number.NaN, lon: Number.NaN };
    expect((Number(west) + Number(east)) / 2).toBeCloseTo(lon, 1);
    expect((Number(south) + Number(north)) / 2).toBeCloseTo(lat, 1);
  });
});
