import { LookoutDriver } from './driver/lookout-driver.ts';
import { expect, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';

test('A page that opens later sees where tracks came from; a gap is never a solid line; T switches trails off', async ({
  startDesk,
  context,
}, testInfo) => {
  const drones = makeRecording(testInfo.outputPath('recording'), 'rid', [
    { id: 'steady', lon: 8.55, lat: 47.44, northDegPerS: 0.0002, everyMs: 5000 },
    // Longer than a drone's positions are joined by a solid line.
    { id: 'rare', lon: 8.57, lat: 47.44, northDegPerS: 0.0002, everyMs: 12_000 },
  ]);
  const { lookout, operator } = await startDesk({ service: playing(drones) });
  const place = '/?view=47.45,8.56,12';
  const received = async () => {
    const answer = await operator.page.request.get(`${lookout.url}/api/trails?bbox=8,47,9,48&layers=rid`);
    const { layers } = await answer.json();
    return layers.rid.trails.map(({ positions }: { positions: unknown[] }) => positions.length);
  };
  await operator.watches(place);
  await test.step('A viewer watches until each track was received three times', async () => {
    await expect.poll(async () => Math.min(...(await received())), 'positions of each track').toBeGreaterThanOrEqual(3);
  });

  const later = new LookoutDriver(await context.newPage(), lookout.url);
  await test.step('A viewer who opens the page then sees them all as trails', async () => {
    await later.watches(place);
    expect(await later.trailLines()).toEqual({ solid: 0, dotted: 0 });
    await later.page.keyboard.press('t');
    await expect.poll(async () => (await later.trailLines()).solid).toBeGreaterThanOrEqual(2);
    await expect.poll(async () => (await later.trailLines()).dotted).toBeGreaterThanOrEqual(2);
    const live = (await lookout.service.requests()).filter(({ operation }) => !operation.startsWith('live'));
    expect(live, 'requests for the past').toEqual([]);
  });
  await test.step('New positions extend them, and the rarely received one stays dotted', async () => {
    const { solid } = await later.trailLines();
    await expect.poll(async () => (await later.trailLines()).solid).toBeGreaterThan(solid);
    const counts = await received();
    expect((await later.trailLines()).dotted).toBeLessThan(Math.max(...counts));
  });
  await test.step('The settings say since when, and where the hour before can be had', async () => {
    await later.page.getByRole('tab', { name: 'View' }).click();
    await expect(
      later.page.getByText(
        /All of this view has been read since \d\d:\d\d:\d\dZ; before that, positions may be missing\./,
      ),
    ).toBeVisible();
    await expect(later.button('Load the last hour of this area')).toBeVisible();
  });
  await test.step('T again switches them off', async () => {
    await later.page.keyboard.press('t');
    await expect.poll(() => later.trailLines()).toEqual({ solid: 0, dotted: 0 });
  });
  await later.page.close();
});
