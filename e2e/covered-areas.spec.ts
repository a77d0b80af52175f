import { expectsNoLayoutProblems } from './driver/layout-problems.ts';
import { addressTime, pastWindow } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';

const west = { id: 'west-of-180', lon: 179.7, lat: -17 };
const east = { id: 'east-of-180', lon: -179.7, lat: -17.2 };

test('The map can be dragged across 180°, and draws and picks the positions on both sides of it', async ({
  startDesk,
}, info) => {
  const { operator } = await startDesk({ service: playing(makeRecording(info.outputPath(), 'adsb', [west, east])) });
  await operator.watches('/?view=-17,178.5,8&layers=adsb');
  await expect(operator.count('Aircraft')).toHaveText('1 simulated');
  await operator.drags(-250, -80);
  await expect(operator.count('Aircraft')).toHaveText('2 simulated');
  expect(operator.viewInAddress()?.lon).toBeGreaterThan(178.5);
  await expect.poll(() => operator.marksDrawn()).toBe(2);
  await expect(operator.notice('capped')).toHaveCount(0);

  for (const side of [west, east]) {
    await operator.clicksMapAt(side);
    await expect(operator.tracks.card).toBeVisible();
    expect(await operator.tracks.place()).toEqual({ lat: side.lat, lon: side.lon });
    await operator.page.keyboard.press('Escape');
    await operator.tracks.isClosed();
  }

  const around = await Promise.all([west, east].map((side) => operator.pointOf(side)));
  const screenshots = () =>
    Promise.all(around.map(({ x, y }) => operator.screenshot({ x: x - 8, y: y - 8, width: 16, height: 16 })));
  const withMarks = await screenshots();
  await operator.switchesLayer('Aircraft');
  await expect.poll(() => operator.marksDrawn()).toBe(0);
  const without = await screenshots();
  for (const [side, marked] of withMarks.entries()) expect(marked.equals(without[side] as Buffer)).toBe(false);
});

test('A view wider than 30° says that only the framed area is live, as long as that is so', async ({ operator }) => {
  await operator.watches('/?view=46.9,8.2,1.5');
  await expect(operator.notice('capped')).toHaveText('Zoomed out too far: only the framed area is live.');
  const answer = operator.answers.last();
  expect(answer?.capped).toBe(true);
  for (const { west, south, east, north } of answer?.covered ?? []) {
    expect(east - west).toBeLessThanOrEqual(30);
    expect(north - south).toBeLessThanOrEqual(30);
  }
  await operator.button('Home view').click();
  await expect(operator.notice('capped')).toHaveCount(0);
  await operator.seesPositions();
});

for (const view of ['60,8,2', '47,8,1', '-70,175,1.5']) {
  test(`Zoomed out at ${view} the middle of the screen is covered`, async ({ operator }) => {
    await operator.goesTo(`/?view=${view}`);
    await operator.isAnswered();
    await expect(operator.notice('capped')).toBeVisible();
    const shown = operator.viewInAddress();
    const covered = operator.covered();
    expect(covered.lonSpanDeg).toBeCloseTo(30, 1);
    expect(covered.latSpanDeg).toBeCloseTo(30, 1);
    expect(covered.middle.lon).toBeCloseTo(shown?.lon ?? Number.NaN, 1);
    expect(covered.middle.lat).toBeCloseTo(shown?.lat ?? Number.NaN, 1);
  });
}

test('A replay of the world loads the middle of the screen', async ({ operator, page }) => {
  const { start, end } = pastWindow(5);
  await operator.goesTo(`/?view=47,8,1&layers=adsb&from=${addressTime(start)}&to=${addressTime(end)}`);
  const dock = new ReplayDock(page);
  await expect(dock.button(/around the map centre/)).toBeVisible();
  await test.step('the price fits a narrow phone', async () => {
    const desk = page.viewportSize();
    await expectsNoLayoutProblems(page, [[320, 568]]);
    if (desk) await page.setViewportSize(desk);
  });
  await dock.button(/around the map centre/).click();
  await dock.isLoaded();
  const [west, south, east, north] = (new URL(page.url()).searchParams.get('area') ?? '').split(',').map(Number);
  const { lat, lon } = operator.viewInAddress() ?? { lat: Number.NaN, lon: Number.NaN };
  expect((Number(west) + Number(east)) / 2).toBeCloseTo(lon, 1);
  expect((Number(south) + Number(north)) / 2).toBeCloseTo(lat, 1);
});

test('A home area is counted, with its emergencies, wherever the map is, and a click goes there', async ({
  operator,
  page,
}) => {
  const chip = page.getByTestId('home-chip');
  await operator.watches('/?view=47,8,6.5&layers=adsb');
  await page.getByRole('tab', { name: 'View' }).click();
  await operator.button('Use this view').click();
  await expect(page.getByTestId('home-area')).toContainText(/It takes about [\d\s]+ requests an hour/);
  await expect(chip, 'the map shows all of it').toHaveCount(0);
  const before = operator.viewInAddress();

  await operator.goesTo('/?view=0,0,12&layers=adsb');
  await expect(chip).toHaveText(/^Home: [1-9]\d* simulated aircraft · 0 drones( · \d+ simulated emergenc(y|ies))?$/);
  await chip.click();
  await expect.poll(() => operator.viewInAddress()?.lat).toBeCloseTo(before?.lat ?? 0, 0);
  await expect(chip).toHaveCount(0);

  await page.getByRole('tab', { name: 'View' }).click();
  await operator.button('Remove').click();
  await operator.goesTo('/?view=0,0,12&layers=adsb');
  await operator.isAnswered();
  await expect(chip, 'nothing is requested for it any more').toHaveCount(0);
});
