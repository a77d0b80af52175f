import { LookoutDriver } from './driver/lookout-driver.ts';
import { expect, sharedInFile, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';
import { startLookout } from './running/running-lookout.ts';

const west = { id: 'west-of-180', lon: 179.7, lat: -17 };
const east = { id: 'east-of-180', lon: -179.7, lat: -17.2 };
/** A simulated flight may end during a test. */
const northbound = { id: 'northbound', lon: 8.2, lat: 46.9, northDegPerS: 0.0005, everyMs: 2000 };
const drones = [
  { id: 'steady', lon: 8.55, lat: 47.44, northDegPerS: 0.0002, everyMs: 5000 },
  // Too long for a solid line of a drone.
  { id: 'rare', lon: 8.57, lat: 47.44, northDegPerS: 0.0002, everyMs: 12_000 },
];

const recorded = sharedInFile(({ plainBasemap }) => {
  const folder = test.info().outputPath('recordings');
  const files = [makeRecording(folder, 'adsb', [west, east, northbound]), makeRecording(folder, 'rid', drones)];
  return startLookout({ service: playing(...files), settings: plainBasemap });
});
test.describe.configure({ mode: 'default' });

test('Tracks on both sides of 180° are drawn and picked; a selected one is the same on the map, in the table and in the address', async ({
  page,
}) => {
  const operator = new LookoutDriver(page, recorded().url);
  const { tracks } = operator;

  await test.step('a drag across 180° adds what is on the other side', async () => {
    await operator.watches('/?view=-17,178.5,8&layers=adsb');
    await expect.poll(() => operator.marksDrawn(), 'outside the view').toBe(1);
    await expect(operator.count('Aircraft'), 'in view').toHaveText('0');
    await operator.drags(-250, -80);
    await expect(operator.count('Aircraft')).toHaveText('2 simulated');
    expect(operator.viewInAddress()?.lon).toBeGreaterThan(178.5);
    await expect.poll(() => operator.marksDrawn()).toBe(2);
    await expect(operator.notice('capped')).toHaveCount(0);
  });

  await test.step('a click on its mark selects a track on either side, in the table and in the address as well', async () => {
    for (const side of [west, east]) {
      await operator.clicksMapAt(side);
      await expect(tracks.card).toBeVisible();
      expect(await tracks.place()).toEqual({ lat: side.lat, lon: side.lon });
      const picked = await tracks.selectedReference();
      await expect(tracks.selectedRow).toHaveAttribute('data-ref', picked);
      await expect.poll(() => new URL(page.url()).searchParams.get('sel')).toBe(picked);
      await page.keyboard.press('Escape');
      await tracks.isClosed();
      await expect(tracks.selectedRow).toHaveCount(0);
      await expect.poll(() => new URL(page.url()).searchParams.has('sel')).toBe(false);
    }
  });

  await test.step('a track selected in the table is centred, and its mark is drawn and picked there', async () => {
    const selected = await tracks.selectsFirst();
    await expect(tracks.row(selected)).toHaveAttribute('aria-selected', 'true');
    await expect.poll(() => new URL(page.url()).searchParams.get('sel')).toBe(selected);
    const place = await tracks.place();
    await tracks.centres();
    await expect.poll(() => operator.viewInAddress()?.lat).toBeCloseTo(place?.lat ?? Number.NaN, 2);
    await page.keyboard.press('Escape');
    await tracks.isClosed();
    await operator.clicksMapAt(place ?? west);
    await expect(tracks.selectedRow).toHaveAttribute('data-ref', selected);
    await page.keyboard.press('Escape');
    await tracks.isClosed();
  });

  await test.step('a layer that is off has no marks', async () => {
    const around = await Promise.all([west, east].map((side) => operator.pointOf(side)));
    const screenshots = () =>
      Promise.all(around.map(({ x, y }) => operator.screenshot({ x: x - 8, y: y - 8, width: 16, height: 16 })));
    const withMarks = await screenshots();
    await operator.switchesLayer('Aircraft');
    await expect.poll(() => operator.marksDrawn()).toBe(0);
    const without = await screenshots();
    for (const [side, marked] of withMarks.entries()) expect(marked.equals(without[side] as Buffer)).toBe(false);
  });
});

test('A followed track stays in the centre until a drag; a page that opens later sees where tracks came from, and a gap is never a solid line', async ({
  page,
  context,
}) => {
  const { url } = recorded();
  const watched = '/?view=47.45,8.56,12&layers=rid';
  const watcher = new LookoutDriver(await context.newPage(), url);
  const operator = new LookoutDriver(page, url);
  const said = page.getByTestId('track-focus');
  const offset = async () => {
    const [place, view] = [await operator.tracks.place(), operator.viewInAddress()];
    return place && view ? Math.hypot(place.lat - view.lat, place.lon - view.lon) : Number.NaN;
  };
  /** From then on the server knows the trails. */
  await watcher.watches(watched);

  await test.step('the map keeps the track in its centre', async () => {
    await operator.watches('/?view=46.95,8.2,9&layers=adsb');
    await operator.tracks.selectsFirst();
    await page.keyboard.press('f');
    await expect(said).toHaveText('The map keeps the track in its centre.');
    const start = await operator.tracks.place();
    await expect.poll(() => operator.tracks.place()).not.toEqual(start);
    // It moved while F was pressed.
    await expect.poll(offset).toBeLessThan(0.008);
  });

  await test.step('through every zoom', async () => {
    for (const zoom of ['wheel', '+', '+', '+', '+', '+', 'wheel', '+', '+'] as const) {
      const before = operator.viewInAddress()?.zoom ?? Number.NaN;
      if (zoom === 'wheel') {
        await page.mouse.move(200, 300);
        await page.mouse.wheel(0, -300);
      } else {
        await page.keyboard.press(zoom);
      }
      await expect.poll(() => operator.viewInAddress()?.zoom).toBeGreaterThan(before);
      await expect.poll(offset).toBeLessThan(0.008);
    }
    await expect(operator.button('Following')).toBeVisible();
    // Near the ground it would leave the view between two positions.
    await expect(async () => {
      if ((operator.viewInAddress()?.zoom ?? 0) > 9.5) await page.keyboard.press('-');
      expect(operator.viewInAddress()?.zoom).toBeLessThanOrEqual(9.5);
    }).toPass();
    await expect.poll(offset).toBeLessThan(0.008);
  });

  await test.step('a drag pauses that, and says so', async () => {
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
  });

  await test.step('following goes on when the map’s box changes just before a track is centred', async () => {
    // In one task: the map does not know its new size at the key.
    await page.evaluate(() => {
      const box = document.querySelector<HTMLElement>('.maplibregl-map');
      if (!box) throw new Error('no map');
      box.style.height = `${box.clientHeight - 100}px`;
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'i', bubbles: true }));
    });
    await expect(said).toContainText('Others dimmed, except emergencies.');
    await expect(operator.button('Following')).toBeVisible();
    await expect.poll(offset).toBeLessThan(0.008);
    await page.keyboard.press('Escape');
    await operator.tracks.selectsFirst();
    await expect(said).toHaveText('');
  });

  await test.step('a page that opens later has trails of what the server received before', async () => {
    const received = async () => {
      const answer = await page.request.get(`${url}/api/trails?bbox=8,47,9,48&layers=rid`);
      const { layers } = await answer.json();
      return layers.rid.trails.map(({ positions }: { positions: unknown[] }) => positions.length);
    };
    await expect.poll(async () => Math.min(...(await received())), 'positions of each track').toBeGreaterThanOrEqual(3);
    expect(await received()).toHaveLength(2);
    await operator.watches(watched);
    expect(await operator.trailLines()).toEqual({ solid: 0, dotted: 0 });
    await page.keyboard.press('t');
    await expect.poll(async () => (await operator.trailLines()).solid).toBeGreaterThanOrEqual(2);
    await expect.poll(async () => (await operator.trailLines()).dotted).toBeGreaterThanOrEqual(2);
    const { service } = recorded();
    const others = (await service.requests()).filter(({ operation }) => !operation.startsWith('live'));
    expect(others, 'requests for the past').toEqual([]);
    const { solid } = await operator.trailLines();
    await expect.poll(async () => (await operator.trailLines()).solid).toBeGreaterThan(solid);
    expect((await operator.trailLines()).dotted, 'the rarely received one').toBeLessThan(
      Math.max(...(await received())),
    );
  });

  await test.step('the settings say since when, and where the hour before can be had', async () => {
    await page.getByRole('tab', { name: 'View' }).click();
    await expect(
      page.getByText(/All of this view has been read since \d\d:\d\d:\d\dZ; before that, positions may be missing\./),
    ).toBeVisible();
    await expect(operator.button('Load the last hour of this area')).toBeVisible();
  });

  await test.step('T again switches them off', async () => {
    await page.keyboard.press('t');
    await expect.poll(() => operator.trailLines()).toEqual({ solid: 0, dotted: 0 });
  });
  await watcher.page.close();
});
