import { LookoutDriver } from './driver/lookout-driver.ts';
import { expect, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';

test('A page that opens later sees where tracks came from; a gap is never a solid line; T switches trails off', async ({
  startDesk,
  context,
}, testInfo) => {
  const drones = makeRecording(testInfo.outputPath('recording'), 'rid', [
    { id: 'steady', lon: 8.55, lat: 47.44, northDegPerS: 0.0002, everyMs: 5000 },
    // Too long for a solid line of a drone.
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

test('A followed track stays in the centre with each new position and through every zoom; a drag pauses that, and says so', async ({
  startDesk,
}, info) => {
  // A simulated flight may end during the test.
  const recording = makeRecording(info.outputPath(), 'adsb', [
    { id: 'northbound', lon: 8.2, lat: 46.9, northDegPerS: 0.0005, everyMs: 2000 },
  ]);
  const { operator } = await startDesk({ service: playing(recording) });
  await operator.watches('/?view=46.95,8.2,9&layers=adsb');
  await operator.tracks.selectsFirst();
  const said = operator.page.getByTestId('track-focus');
  await operator.page.keyboard.press('f');
  await expect(said).toHaveText('The map keeps the track in its centre.');
  const offset = async () => {
    const [place, view] = [await operator.tracks.place(), operator.viewInAddress()];
    return place && view ? Math.hypot(place.lat - view.lat, place.lon - view.lon) : Number.NaN;
  };
  const start = await operator.tracks.place();
  await expect.poll(() => operator.tracks.place()).not.toEqual(start);
  // It moved while F was pressed.
  await expect.poll(offset).toBeLessThan(0.008);

  for (const zoom of ['wheel', '+', '+', '+', '+', '+', 'wheel', '+', '+'] as const) {
    const before = operator.viewInAddress()?.zoom ?? Number.NaN;
    if (zoom === 'wheel') {
      await operator.page.mouse.move(200, 300);
      await operator.page.mouse.wheel(0, -300);
    } else {
      await operator.page.keyboard.press(zoom);
    }
    await expect.poll(() => operator.viewInAddress()?.zoom).toBeGreaterThan(before);
    await expect.poll(offset).toBeLessThan(0.008);
  }
  await expect(operator.button('Following')).toBeVisible();
  // Near the ground it would leave the view between two positions.
  await expect(async () => {
    if ((operator.viewInAddress()?.zoom ?? 0) > 9.5) await operator.page.keyboard.press('-');
    expect(operator.viewInAddress()?.zoom).toBeLessThanOrEqual(9.5);
  }).toPass();
  await expect.poll(offset).toBeLessThan(0.008);

  await operator.drags(120, 60);
  await expect(said).toHaveText('Paused, since the map was moved by hand.');
  const newPosition = async () => {
    const before = await operator.tracks.place();
    await expect.poll(() => operator.tracks.place()).not.toEqual(before);
  };
  // After a drag the map glides for less than that.
  await newPosition();
  await newPosition();
  const moved = operator.viewInAddress();
  await newPosition();
  expect(operator.viewInAddress()).toEqual(moved);

  for (let drag = 0; drag < 3; drag++) await operator.drags(0, 180);
  await operator.button('Follow lost · Show it').click();
  await expect.poll(offset).toBeLessThan(0.008);
  await expect(said).toHaveText(/^The map keeps/);
  await operator.page.keyboard.press('i');
  await expect(said).toContainText('Others dimmed, except emergencies.');
  await operator.page.keyboard.press('Escape');
  await operator.tracks.selectsFirst();
  await expect(said).toHaveText('');
});

test('Following goes on when the map’s box changes just before a track is centred', async ({ startDesk }, info) => {
  const recording = makeRecording(info.outputPath(), 'adsb', [{ id: 'parked', lon: 8.2, lat: 46.9 }]);
  const { operator } = await startDesk({ service: playing(recording) });
  await operator.watches('/?view=46.95,8.2,9&layers=adsb');
  await operator.tracks.selectsFirst();
  await operator.page.keyboard.press('f');
  await expect(operator.button('Following')).toBeVisible();
  // In one task: the map does not know its new size at the key.
  await operator.page.evaluate(() => {
    const box = document.querySelector<HTMLElement>('.maplibregl-map');
    if (!box) throw new Error('no map');
    box.style.height = `${box.clientHeight - 100}px`;
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'i', bubbles: true }));
  });
  await expect(operator.page.getByTestId('track-focus')).toContainText('Others dimmed, except emergencies.');
  await expect
    .poll(async () => {
      const [place, view] = [await operator.tracks.place(), operator.viewInAddress()];
      return place && view ? Math.hypot(place.lat - view.lat, place.lon - view.lon) : Number.NaN;
    })
    .toBeLessThan(0.008);
});
