import { expect, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';

test('A followed track stays in the centre with each new position and through every zoom; a drag pauses that, and says so', async ({
  startDesk,
}, info) => {
  // A simulated flight may end while it is watched.
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
  // Centred, and so it stays: within a few pixels at this zoom, by which it moved while F was pressed.
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
  // Near the ground it would leave the view of a paused map between two positions.
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
  // The map glides on after a drag, for less than it takes from one position to the next.
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
  // In one task: the map does not know its new size yet when the key causes the track to be centred.
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
